// replay.hpp - simulates a recorded run with a change, by list scheduling of its graph.
//
// Threads     pure; one answer for one input.
// Source      list scheduling: R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969. A free worker takes
//             the ready operation that began first in the recording. Locality is not modelled.
//
// For each operation a replay uses its duration, its dependencies, and the time between ready and begun while a worker
// was free (overhead of the runtime, or a sleeping worker). A record within which others ran is several operations, one
// after each of those. Operations of a track that is no worker, such as a stream, run on that track, one at a time.
#pragma once

#include <functional>
#include <span>

#include "report/recorded_run.hpp"

namespace stretto::report {

inline constexpr std::uint32_t any_worker = no_record;

struct operation {
  nanoseconds length = 0;
  nanoseconds delay = 0;     // between ready, with a worker free, and begun
  nanoseconds released = 0;  // not ready before
  std::uint32_t family = 0;  // index into replay_graph::families
  report::kind kind = kind::task;
  std::uint32_t runs_on = any_worker;  // else a track of its own
  // As recorded.
  nanoseconds start = 0, ready = 0;
  std::uint32_t track = 0;
};

struct dependency {
  std::uint32_t from = 0, to = 0;
  nanoseconds offset = -1;  // how far into `from` it lets `to` go on; -1: at its end
  nanoseconds lag = 0;      // and how long after that
};

struct replay_graph {
  std::vector<operation> operations;     // those that were begun first come first
  std::vector<dependency> dependencies;  // any order
  std::vector<std::string> families;
  unsigned workers = 1;
};

/// The graph of a run's work. A record without a cause whose worker was idle just before was submitted at about the
/// time it began, else the worker would have taken it earlier. The submitter is not recorded: the record follows the
/// one that ended last before it, with the recorded distance. Other records without a cause may begin at once. Cost:
/// O(records + edges), and a sort if records nest.
replay_graph graph_of(const run& r);

/// The change of a replay.
struct change {
  unsigned workers = 0;  // 0: as many as there were
  double speed = 1;      // of the operations that are_faster says; null: none
  std::function<bool(const operation&)> are_faster = nullptr;
};

/// Replays one graph, which must outlive it, as often as wanted.
class replayer {
 public:
  explicit replayer(const replay_graph& g);
  /// The time that the graph takes on its workers. Operations on a cycle never begin and do not
  /// count. Any thread, several at a time. Cost: linear but for a heap of what will be ready soon;
  /// 0.05 s for a million operations.
  nanoseconds run(const change& c = {}) const;

  const replay_graph& graph() const noexcept { return graph_; }
  /// The successors of operation i.
  std::span<const dependency> followers(std::uint32_t i) const noexcept {
    return {followers_.data() + first_[i], followers_.data() + first_[i + 1]};
  }
  const std::vector<std::uint32_t>& waits() const noexcept { return waits_; }

 private:
  const replay_graph& graph_;
  std::vector<std::uint32_t> first_;
  std::vector<dependency> followers_;  // the graph's own, by `from`: a replay reads them in a row
  std::vector<std::uint32_t> waits_;   // how many dependencies each operation has
};

inline nanoseconds replay(const replay_graph& g, const change& c = {}) { return replayer(g).run(c); }

/// Tasks longer than the mean cut into two halves that may run beside each other.
replay_graph with_finer_grain(const replay_graph& g);
/// Two tasks of one family in a row on one worker joined into one, where the second did not need the first's end.
replay_graph with_coarser_grain(const replay_graph& g);

}  // namespace stretto::report
