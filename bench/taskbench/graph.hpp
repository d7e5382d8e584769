// graph.hpp - parameterised task graphs: steps of a row of points, each needing points of the row
// before.
//
// Threads     a graph is immutable after construction; every member may be called from any thread.
// Cost        inputs and outputs: a table look-up; the table has period * width rows.
// Invariants  (1) q is an input of (t, p) exactly when p is an output of (t - 1, q). (2) every input lies in the window
//             of the step before. (3) both lists are ascending and free of duplicates.
// Source      definitions of Task Bench: Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating
//             Parallel Runtime Performance", SC 2020, and its public core (patterns, dependence sets, flop counts, the
//             keyed hash of random_nearest). There a list may name a point twice (stencil_1d_periodic of width 2); here
//             a dependence set is a set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taskbench {

enum class pattern {
  trivial,
  no_comm,
  stencil_1d,
  stencil_1d_periodic,
  dom,
  tree,
  fft,
  all_to_all,
  nearest,
  spread,
  random_nearest
};

std::span<const std::string_view> pattern_names();  ///< in the order of the enum

/// Throws std::invalid_argument that lists the names.
pattern pattern_named(std::string_view);

struct shape {
  taskbench::pattern pattern = pattern::trivial;
  long width = 4;
  long steps = 4;
  long radix = 3;           ///< nearest, spread, random_nearest: how many inputs at most
  double connected = 0.25;  ///< random_nearest: fraction of the near points that are inputs
  long index = 0;           ///< of the graph, part of what random_nearest hashes
};

class graph {
 public:
  /// Throws std::invalid_argument if width or steps < 1, radix < 0, or spread has radix < 1.
  explicit graph(const shape&);

  const shape& is() const { return is_; }
  long tasks() const;  ///< sum of the row widths

  /// The row of step t is [first(t), first(t) + width(t)); outside [0, steps) the row is empty.
  long first(long t) const;
  long width(long t) const;
  bool contains(long t, long p) const { return p >= first(t) && p < first(t) + width(t); }

  /// Points of step t - 1 that (t, p) needs.
  std::span<const long> inputs(long t, long p) const { return clipped(inputs_, t, p, t - 1); }
  /// Points of step t + 1 that need (t, p).
  std::span<const long> outputs(long t, long p) const { return clipped(outputs_, t + 1, p, t + 1); }

  /// The same lists before they are clipped to the window: they depend on t modulo period() only.
  std::span<const long> unclipped_inputs(long t, long p) const { return inputs_[set_at(t) * is_.width + p]; }
  std::span<const long> unclipped_outputs(long t, long p) const { return outputs_[set_at(t + 1) * is_.width + p]; }

  long max_inputs() const;  ///< over all tasks

  /// Steps t and t + period() have the same dependence set.
  long period() const { return period_; }

 private:
  using table = std::vector<std::vector<long>>;  // row: set * width + point

  long set_at(long t) const;
  std::vector<long> needs(long set, long p) const;
  std::span<const long> clipped(const table&, long set_step, long p, long row_step) const;

  shape is_;
  long period_;
  bool moving_window_;  // rows differ in width, so lists must be clipped
  table inputs_;
  table outputs_;
};

/// SipHash-2-4 of `words` under the key of the public core, scaled to [0, 1).
double random_uniform(std::span<const std::int64_t> words);

/// SipHash-2-4, 64-bit result; the two key words are little-endian halves. bytes: a multiple of 8
/// or not.
std::uint64_t siphash(std::span<const unsigned char> bytes, std::uint64_t key0, std::uint64_t key1);

}  // namespace taskbench
