// circuit.cpp - Stretto: a simulated circuit in pieces, and what becomes of its events over time.
//
// As examples/08_circuit: each step of a piece computes currents, distributes charge and updates voltages, after the
// pieces that share wires with it; the program runs some steps ahead of its tasks. Sampled while it runs:
//
//   dynamic       events made so far
//   live          events that somebody can still name: they have not happened, or the program holds a handle, or a task
//                 that waits for them has yet to end. Reference counting would have to keep these.
//   untriggered   events that have not happened yet
//   slots         what Stretto keeps for all of them
//
// Threads     the samples are taken by tasks of all workers, under a lock; the count of live events is atomic.
// Source      the application and the figure: Treichler, Bauer, Aiken, "Realm", PACT 2014, figure 6c.

#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <set>

#include "peers/stretto/benchmarks.hpp"

namespace {

constexpr int pieces = 16, nodes_each = 200, wires_each = 800, steps_ahead = 24, sampled_every = 8;
constexpr double dt = 1e-2;

struct wire {
  int from, to;
  double resistance, inductance, current;
};
struct node {
  double voltage, charge, capacitance, leakage;
};

class circuit {
 public:
  circuit() : wires_(pieces), sent_(pieces, std::vector<std::vector<contribution>>(pieces)), near(pieces) {
    std::mt19937 draw(2014);
    const auto unit = [&] { return draw() / 4294967296.0; };
    for (int i = 0; i < pieces * nodes_each; ++i) nodes_.push_back({2 * unit() - 1, 0, 1 + unit(), 0.1 * unit()});
    for (int p = 0; p < pieces; ++p)
      for (int w = 0; w < wires_each; ++w) {
        const int far = draw() % 10 ? p : (p + 1 + static_cast<int>(draw() % 2)) % pieces;  // a tenth leave the piece
        wires_[p].push_back({static_cast<int>(p * nodes_each + draw() % nodes_each),
                             static_cast<int>(far * nodes_each + draw() % nodes_each), 1 + 9 * unit(), 0.1 + unit(),
                             0});
        near[p].insert({p, far});
        near[far].insert(p);
      }
  }

  void new_currents(int p) {
    for (wire& w : wires_[p])
      w.current += dt / w.inductance * (nodes_[w.from].voltage - nodes_[w.to].voltage - w.resistance * w.current);
  }
  void distribute_charge(int p) {
    for (const wire& w : wires_[p]) {
      nodes_[w.from].charge -= dt * w.current;
      if (const int owner = w.to / nodes_each; owner == p) nodes_[w.to].charge += dt * w.current;
      else sent_[p][owner].push_back({w.to, dt * w.current});
    }
  }
  void update_voltages(int p) {
    for (int from = 0; from < pieces; ++from) {
      for (const auto& add : sent_[from][p]) nodes_[add.to].charge += add.charge;
      sent_[from][p].clear();
    }
    for (int i = p * nodes_each; i < (p + 1) * nodes_each; ++i) {
      node& n = nodes_[i];
      n.voltage = (n.voltage + n.charge / n.capacitance) * (1 - n.leakage * dt);
      n.charge = 0;
    }
  }
  /// How many nodes have another voltage, to the last bit.
  long differences(const circuit& other) const {
    long count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) count += nodes_[i].voltage != other.nodes_[i].voltage;
    return count;
  }

 private:
  struct contribution {
    int to;
    double charge;
  };
  std::vector<node> nodes_;                                   // piece p owns [p * nodes_each, (p + 1) * nodes_each)
  std::vector<std::vector<wire>> wires_;                      // by piece
  std::vector<std::vector<std::vector<contribution>>> sent_;  // by piece, by owner

 public:
  std::vector<std::set<int>> near;  // itself, and with whom it shares a wire
};

std::atomic<long> live{0};

/// Alive as long as somebody can name its event.
struct token {
  token() { ++live; }
  ~token() { --live; }
  token(const token&) = delete;
};
struct held_event {
  stretto::event e;
  std::shared_ptr<const token> name;
};

held_event merge(const std::vector<held_event>& all, const std::set<int>& which) {
  std::vector<stretto::event> inputs;
  for (const int i : which) inputs.push_back(all[i].e);
  const stretto::event e = stretto::merge(inputs);
  return {e, e == stretto::event() ? nullptr : std::make_shared<const token>()};
}

template <class Body>
held_event spawn(const held_event& before, Body body) {
  auto name = std::make_shared<const token>();
  const stretto::event e = stretto::async(stretto::after(before.e), [body, name, waited_for = before.name] { body(); });
  return {e, std::move(name)};
}

struct timeline {
  bench::stopwatch clock;
  std::mutex mutex;
  std::uint64_t created_before = stretto::current_event_statistics().created;
  std::vector<double> ms, dynamic, alive, untriggered, slots;

  void sample() {
    std::scoped_lock lock(mutex);
    const auto now = stretto::current_event_statistics();
    ms.push_back(clock.seconds() * 1e3);
    dynamic.push_back(static_cast<double>(now.created - created_before));
    alive.push_back(static_cast<double>(live.load()));
    untriggered.push_back(static_cast<double>(now.untriggered));
    slots.push_back(static_cast<double>(now.slots));
  }
};

}  // namespace

bench::outcome sample_circuit(const bench::options& o) {
  circuit parallel, serial;
  timeline seen;
  stretto::finish([&] {
    std::vector<held_event> updated(pieces), distributed(pieces);
    std::vector<held_event> started(steps_ahead);  // the last update of each of the latest steps
    for (long step = 0; step < o.size; ++step) {
      if (held_event& old = started[step % steps_ahead]; old.name) stretto::wait(old.e);
      for (int p = 0; p < pieces; ++p) {
        const held_event currents = spawn(merge(updated, parallel.near[p]), [&, p] { parallel.new_currents(p); });
        distributed[p] = spawn(currents, [&, p] { parallel.distribute_charge(p); });
      }
      for (int p = 0; p < pieces; ++p)
        updated[p] = spawn(merge(distributed, parallel.near[p]), [&, p, step] {
          parallel.update_voltages(p);
          if (p == 0 && step % sampled_every == 0) seen.sample();
        });
      started[step % steps_ahead] = updated[pieces - 1];
      if (step % sampled_every == 0) seen.sample();
    }
  });
  for (long step = 0; step < o.size; ++step) {
    for (int p = 0; p < pieces; ++p) serial.new_currents(p);
    for (int p = 0; p < pieces; ++p) serial.distribute_charge(p);
    for (int p = 0; p < pieces; ++p) serial.update_voltages(p);
  }
  bench::expect("number of voltages unlike those of a serial run", parallel.differences(serial), 0);
  return {seen.dynamic.back() / seen.slots.back(),
          {{"dynamic", seen.dynamic.back()}, {"slots", seen.slots.back()}},
          {{"ms", seen.ms},
           {"dynamic", seen.dynamic},
           {"live", seen.alive},
           {"untriggered", seen.untriggered},
           {"slots", seen.slots}}};
}
