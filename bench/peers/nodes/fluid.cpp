// fluid.cpp - the fluid of examples/fluid_nodes.hpp over nodes: time of a step with its order kept in three ways, and
// what becomes of the events of all nodes over time.
//
//   (events)  preconditions: node 0 says all steps ahead
//   waits     a wait before each operation
//   barriers  each node computes its pieces in phases, with a barrier of all nodes between them
//
// Source      the application and the figure: Treichler, Bauer, Aiken, "Realm", PACT 2014, figure 6c. Samples are those
//             of peers/stretto/circuit.cpp, without the events that somebody can still name.
#include "fluid_nodes.hpp"

#include <stretto/stretto.hpp>

#include <algorithm>
#include <vector>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;
using namespace fluid_nodes;

namespace {

constexpr int pieces = 3;  // along each axis

void expect_serial(const std::vector<particle>& found, int width, int steps) {
  if (found != serially(width, steps)) throw bench::wrong_answer("not as a serial run");
}

/// `program(width, steps)` returns the particles after the last step.
template <class F>
bench::outcome time_step(const bench::options& o, F&& program) {
  if (this_node() != 0) return {};
  const int width = static_cast<int>(o.size), steps = std::max(1, static_cast<int>(o.steps / 20));
  const bench::stopwatch clock;
  const std::vector<particle> found = program(width, steps);
  const double seconds = clock.seconds();
  expect_serial(found, width, steps);
  return {.value = seconds * 1e6 / steps};
}

// ---- barriers

/// A piece, as other nodes know it.
struct tile {
  std::uint32_t node = 0;
  box own;
  std::array<cell_field, 2> u;
  template <class Archive>
  friend void fields(Archive& a, archived<tile, Archive>& t) {
    a(t.node, t.own, t.u[0], t.u[1]);
  }
};

/// On each node.
void compute_in_phases(const std::vector<tile>& all, barrier phase, int steps, int width) {
  for (int k = 0; k < 3 * steps; ++k) {
    const auto now = static_cast<std::size_t>(k % 2);
    std::vector<event> ends;
    for (const tile& one : all)
      for (const tile& other : all) {
        if (one.node != this_node() || one.own == other.own) continue;
        const box part = intersection(other.own, one.own.widened({1, 1}));
        if (!part.is_empty()) ends.push_back(copy(other.u[now], one.u[now], part));
      }
    wait(merge(ends));
    for (const tile& one : all)
      if (one.node == this_node())
        compute_piece(one.u[now], one.u[1 - now], one.own, static_cast<std::uint8_t>(k % 3), width);
    phase.arrive();
    wait(phase);
    phase = phase.advance();
  }
}

std::vector<particle> with_barriers(int width, int steps) {
  const std::vector<piece> all = make_pieces(width, pieces);
  std::vector<tile> tiles;
  std::vector<event> ends;
  for (const piece& p : all) {
    tiles.push_back({p.node, p.own, p.u});
    ends.push_back(merge(p.ready, merge(p.read[1])));
  }
  wait(merge(ends));
  const auto phase = barrier::create(job_nodes());
  ends.clear();
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    ends.push_back(async(at_node(n), call<&compute_in_phases>(tiles, phase, steps, width)));
  wait(merge(ends));
  phase.destroy();
  return collect(all, 3 * steps % 2, width);
}

// ---- events over time

struct sample {
  double ms, dynamic, untriggered, slots;
};
std::vector<sample> samples;  // of this node
std::uint64_t created_before = 0;
bench::stopwatch since_begin;

void begin_samples() {
  samples.clear();
  since_begin = {};
  created_before = current_event_statistics().created;
}
void take_sample() {
  const auto now = current_event_statistics();
  samples.push_back({since_begin.seconds() * 1e3, static_cast<double>(now.created - created_before),
                     static_cast<double>(now.untriggered), static_cast<double>(now.slots)});
}
std::vector<sample> samples_here() { return samples; }

/// Of all nodes together, by steps.
std::vector<sample> all_samples() {
  std::vector<sample> sum = samples;
  for (std::uint32_t n = 1; n < job_nodes(); ++n) {
    const auto there = async(at_node(n), call<&samples_here>()).get();
    bench::expect("samples of a node", static_cast<long>(there.size()), static_cast<long>(sum.size()));
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i].dynamic += there[i].dynamic, sum[i].untriggered += there[i].untriggered, sum[i].slots += there[i].slots;
  }
  return sum;
}

}  // namespace

bench::outcome time_fluid(const bench::options& o) {
  return time_step(o, [](int width, int steps) { return on_nodes(width, pieces, steps, false); });
}
bench::outcome time_fluid_waits(const bench::options& o) {
  return time_step(o, [](int width, int steps) { return on_nodes(width, pieces, steps, true); });
}
bench::outcome time_fluid_barriers(const bench::options& o) { return time_step(o, with_barriers); }

/// Some steps ahead of the pieces; each node takes a sample when a step has ended.
bench::outcome sample_fluid(const bench::options& o) {
  constexpr std::size_t steps_ahead = 8;
  if (this_node() != 0) return {};
  const int width = static_cast<int>(o.size), steps = std::max(1, static_cast<int>(o.steps / 20));
  for (std::uint32_t n = 0; n < job_nodes(); ++n) wait(async(at_node(n), call<&begin_samples>()));
  std::vector<piece> all = make_pieces(width, pieces);
  order in{false};
  std::vector<event> ended, sampled;
  for (int step = 0; step < steps; ++step) {
    if (ended.size() >= steps_ahead) wait(ended[ended.size() - steps_ahead]);
    for (int k = 0; k < 3; ++k) compute_phase(all, 3 * step + k, width, in);
    std::vector<event> ready;
    for (const piece& p : all) ready.push_back(p.ready);
    ended.push_back(merge(ready));
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      sampled.push_back(async(at_node(n), after(ended.back()), call<&take_sample>()));
  }
  wait(merge(sampled));
  expect_serial(collect(all, 3 * steps % 2, width), width, steps);
  const std::vector<sample> found = all_samples();
  bench::outcome result{.value = found.back().dynamic / found.back().slots,
                        .facts = {{"dynamic", found.back().dynamic}, {"slots", found.back().slots}}};
  const auto column = [&](const char* name, double sample::*member) {
    std::vector<double> values;
    for (const sample& s : found) values.push_back(s.*member);
    result.series.emplace_back(name, std::move(values));
  };
  column("ms", &sample::ms), column("dynamic", &sample::dynamic), column("untriggered", &sample::untriggered);
  column("slots", &sample::slots);
  return result;
}
