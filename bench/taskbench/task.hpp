// task.hpp - the body of one Task Bench task: check the inputs, stamp the output, burn the flops.
//
// Threads     run_task may be called from any number of threads at once.
// Cost        compute: 128 flops per iteration, 16 independent chains of 4-wide fused multiply-adds.
// Invariants  a task that finds an input other than (t - 1, q) stops the program: no wrong run is timed.
// Source      kernel and flop count of Task Bench's compute_bound (see graph.hpp).
#pragma once

#include <span>
#include <vector>

#include "common/measure.hpp"
#include "taskbench/graph.hpp"

namespace taskbench {

/// The value that a task hands to the next step: it names the writer.
struct stamp {
  long step;
  long point;
};

/// 64 doubles, x = x * x + x, `iterations` times. Compiled once, for this machine, for all systems.
double compute(long iterations);

/// 128 flops per iteration and 64 for the final product.
constexpr double flops(long iterations) { return 128.0 * static_cast<double>(iterations) + 64; }

/// True if `in` holds, in order, one stamp (t - 1, q) per input q of (t, p).
bool has_its_inputs(const graph&, long t, long p, std::span<const stamp* const> in);

/// Checks the inputs, computes, writes *out. Stops the program with a sentence if the inputs are
/// wrong.
void run_task(const graph&, long t, long p, std::span<const stamp* const> in, stamp* out, long iterations);

/// The stamps of tasks: `rows` per point, used cyclically. With one row per step no writer
/// ever waits for a reader; with two, the runtime must order a writer after the readers of the row
/// before last. Points are columns: neighbours in memory are the same point's steps.
class stamps {
 public:
  stamps(const graph& g, long rows) : rows_(rows), all_(rows * g.is().width, stamp{-1, -1}) {}
  explicit stamps(const graph& g) : stamps(g, g.is().steps) {}
  stamp* at(long t, long p) { return &all_[p * rows_ + (t < rows_ ? t : t % rows_)]; }

 private:
  long rows_;
  std::vector<stamp> all_;
};

/// run_task with inputs and output in `where`.
void run_task(const graph&, long t, long p, stamps& where, long iterations);

/// The graph that the flags describe.
graph graph_of(const bench::options&);

/// Granularity in microseconds, elapsed * workers / tasks, with seconds, tasks and flops per second
/// beside it.
bench::outcome report(const graph&, const bench::options&, double seconds);

}  // namespace taskbench
