// replay.hpp - runs a recorded graph again on paper, with something changed.
//
// Threads     pure; one answer for one input.
// Source      list scheduling: R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969. A worker that is free takes
//             the operation that has been ready longest; what it cannot know of locality and priorities it leaves out.
#pragma once

#include "report/run.hpp"

namespace stretto::report {

struct operation {
  nanoseconds length = 0;
  nanoseconds released = 0;  // not ready before
  std::uint32_t family = 0;  // index into replay_graph::families
  report::kind kind = kind::task;
};

struct dependency {
  std::uint32_t from = 0, to = 0;
  nanoseconds offset = -1;  // how far into `from` it lets `to` go on; -1: at its end
  nanoseconds lag = 0;      // and how long after that
};

struct replay_graph {
  std::vector<operation> operations;
  std::vector<dependency> dependencies;
  std::vector<std::string> families;
  unsigned workers = 1;
  nanoseconds overhead = 0;  // of the runtime, per operation
  bool shortened = false;    // holds the beginning of a longer run
};

/// The graph of a run's work, of its first `most` records. A record that names no cause, and whose worker had been idle just
/// before, was asked for at about the time it began, or the worker would have taken it earlier. By whom is not recorded: it
/// follows whatever record had ended last, by as much as it did. Other records without a cause may begin at once.
replay_graph graph_of(const run& r, unsigned workers, nanoseconds overhead, std::size_t most = 200'000);

/// The time that the graph takes on its workers. Operations on a cycle never begin and do not count.
/// Cost: O(n log n + dependencies).
nanoseconds replay(const replay_graph& g);

/// The graph with every operation that is_chosen(operation) says `speed` times as fast.
template <class F>
replay_graph with_speed(replay_graph g, double speed, F&& is_chosen) {
  std::vector<double> scale(g.operations.size(), 1);
  for (std::size_t i = 0; i < g.operations.size(); ++i)
    if (is_chosen(g.operations[i])) {
      scale[i] = 1 / speed;
      g.operations[i].length = static_cast<nanoseconds>(static_cast<double>(g.operations[i].length) * scale[i]);
    }
  for (dependency& d : g.dependencies)
    if (d.offset > 0) d.offset = static_cast<nanoseconds>(static_cast<double>(d.offset) * scale[d.from]);
  return g;
}

/// Tasks longer than the mean cut into two halves that may run beside each other.
replay_graph with_finer_grain(const replay_graph& g);
/// Two tasks of one family in a row on one worker joined into one, where the second did not need the first's end; `r` and the
/// number of records must be those that the graph was made of.
replay_graph with_coarser_grain(const replay_graph& g, const run& r);

}  // namespace stretto::report
