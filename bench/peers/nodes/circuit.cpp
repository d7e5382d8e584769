// circuit.cpp - the circuit of examples/circuit_nodes.hpp over nodes, with its order kept in five ways: time of a step.
//
//   (events)      preconditions: node 0 says all steps ahead
//   waits         a wait before each operation
//   barriers      each node computes its pieces in phases, with a barrier of all nodes between them
//   reservations  charge is added under a reservation of the piece that gets it, in any order; else preconditions
//   lock          the same with one reservation for all pieces
//
// Source      reservations in an application: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 9.2.
#include "circuit_nodes.hpp"

#include <stretto/stretto.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;
using namespace circuit_nodes;

namespace {

/// `program(circuit, steps)` returns the voltages after the last step, up to rounding.
template <class F>
bench::outcome time_step(const bench::options& o, F&& program) {
  if (this_node() != 0) return {};
  const int steps = std::max(1, static_cast<int>(o.steps / 20));
  const circuit c = make(static_cast<int>(o.size));
  const bench::stopwatch clock;
  const std::vector<double> found = program(c, steps);
  const double seconds = clock.seconds();
  const std::vector<double> expected = serially(c, steps);
  long differences = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) differences += !(std::abs(found[i] - expected[i]) < 1e-12);
  bench::expect("voltages unlike those of a serial run", differences, 0);
  return {.value = seconds * 1e6 / steps};
}

// ---- barriers

/// On each node.
void compute_in_phases(const std::vector<piece>& all, barrier phase, int steps) {
  std::vector<piece> mine;
  std::copy_if(all.begin(), all.end(), std::back_inserter(mine), [](const piece& p) { return p.node == this_node(); });
  const auto meet = [&phase] {
    phase.arrive();
    wait(phase);
    phase = phase.advance();
  };
  for (int step = 0; step < steps; ++step) {
    std::vector<event> ends;
    for (const piece& p : mine)
      for (const neighbour& n : p.near) {
        ends.push_back(copy(all[static_cast<std::size_t>(n.piece)].voltage, n.voltage, shared_of(n.piece)));
        ends.push_back(clear(n.charge));
      }
    wait(merge(ends));
    for (const piece& p : mine) new_currents(p), distribute_charge(p);
    meet();  // all charge is known, and no node reads these voltages any more
    ends.clear();
    for (const piece& to : mine) {
      event reduced;
      for (const piece& from : all)
        for (const neighbour& n : from.near)
          if (n.piece == to.number) reduced = reduce(n.charge, to.charge, after(reduced));
      ends.push_back(reduced);
    }
    wait(merge(ends));
    for (const piece& p : mine) update_voltages(p);
    meet();
  }
}

std::vector<double> with_barriers(const circuit& c, int steps) {
  std::vector<event> updated;
  const std::vector<piece> all = make_pieces(c, updated);
  wait(merge(updated));
  const auto phase = barrier::create(job_nodes());
  std::vector<event> ends;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    ends.push_back(async(at_node(n), call<&compute_in_phases>(all, phase, steps)));
  wait(merge(ends));
  phase.destroy();
  return collect(all, updated, std::vector<event>(all.size()));
}

// ---- reservations

/// Where charge of a piece goes, and who may add there.
struct target {
  reservation lock;
  instance<double> charge;
  template <class Archive>
  friend void fields(Archive& a, archived<target, Archive>& t) {
    a(t.lock, t.charge);
  }
};

/// On the node of the piece.
void add_charge(const piece& p, const reservation& own, const std::vector<target>& near) {
  wait(own.acquire());
  distribute_charge(p);
  own.release();
  std::vector<event> ends;
  for (std::size_t k = 0; k < near.size(); ++k) {
    const event reduced = reduce(p.near[k].charge, near[k].charge, after(near[k].lock.acquire()));
    near[k].lock.release(reduced);
    ends.push_back(clear(p.near[k].charge, after(reduced)));
  }
  wait(merge(ends));
}

reservation make_reservation() { return reservation::create(); }

/// `locks[p]` is of piece p.
std::vector<double> under_locks(const circuit& c, int steps, const std::vector<reservation>& locks) {
  std::vector<event> updated;
  const std::vector<piece> all = make_pieces(c, updated);
  std::vector<std::vector<target>> near(all.size());
  for (std::size_t p = 0; p < all.size(); ++p)
    for (const neighbour& n : all[p].near) {
      const auto q = static_cast<std::size_t>(n.piece);
      near[p].push_back({locks[q], all[q].charge});
    }
  std::vector<event> computed(all.size()), added(all.size());
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<event>> before(all.size());  // of an update: who reads the voltages, who adds charge
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::vector<event> here = {updated[p]};
      for (const neighbour& n : all[p].near) {
        const auto q = static_cast<std::size_t>(n.piece);
        here.push_back(copy(all[q].voltage, n.voltage, shared_of(n.piece), after(updated[q], computed[p])));
        before[q].push_back(here.back());
      }
      computed[p] = async(at_node(all[p].node), after(here), call<&new_currents>(all[p]));
    }
    const std::vector<event> free = updated;  // charge of the step before has been used
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::vector<event> first = {computed[p]};
      for (const neighbour& n : all[p].near) first.push_back(free[static_cast<std::size_t>(n.piece)]);
      added[p] = async(at_node(all[p].node), after(first), call<&add_charge>(all[p], locks[p], near[p]));
      before[p].push_back(added[p]);
      for (const neighbour& n : all[p].near) before[static_cast<std::size_t>(n.piece)].push_back(added[p]);
    }
    for (std::size_t p = 0; p < all.size(); ++p)
      updated[p] = async(at_node(all[p].node), after(before[p]), call<&update_voltages>(all[p]));
  }
  return collect(all, updated, added);
}

std::vector<double> with_reservations(const circuit& c, int steps) {
  std::vector<reservation> locks;
  for (int p = 0; p < c.pieces(); ++p)
    locks.push_back(async(at_node(static_cast<std::uint32_t>(p) % job_nodes()), call<&make_reservation>()).get());
  const auto voltages = under_locks(c, steps, locks);
  for (const reservation& r : locks) r.destroy();
  return voltages;
}
std::vector<double> with_one_lock(const circuit& c, int steps) {
  const auto lock = reservation::create();
  const auto voltages = under_locks(c, steps, std::vector<reservation>(static_cast<std::size_t>(c.pieces()), lock));
  lock.destroy();
  return voltages;
}

}  // namespace

bench::outcome time_circuit(const bench::options& o) {
  return time_step(o, [](const circuit& c, int steps) { return on_nodes(c, steps, false); });
}
bench::outcome time_circuit_waits(const bench::options& o) {
  return time_step(o, [](const circuit& c, int steps) { return on_nodes(c, steps, true); });
}
bench::outcome time_circuit_barriers(const bench::options& o) { return time_step(o, with_barriers); }
bench::outcome time_circuit_reservations(const bench::options& o) { return time_step(o, with_reservations); }
bench::outcome time_circuit_lock(const bench::options& o) { return time_step(o, with_one_lock); }
