// replay.hpp - runs a recorded graph again on paper, with something changed.
//
// Threads     pure; one answer for one input.
// Source      list scheduling: R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969. A
// worker that is free takes,
//             of what is ready, what was begun first when it was recorded; what it cannot know of
//             locality it leaves out.
//
// What a replay knows of each operation: how long it took, what it depended on, and how long it
// stood ready beside a free worker before it began (the runtime's own time, or a worker that
// slept). A record within which others ran is several operations, one after each of those. What ran
// on a track that is no worker, such as a stream, runs there, one at a time.
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

/// The graph of a run's work. A record that names no cause, and whose worker had been idle just
/// before, was asked for at about the time it began, or the worker would have taken it earlier. By
/// whom is not recorded: it follows whatever record had ended last, by as much as it did. Other
/// records without a cause may begin at once. Cost: O(records + edges), and a sort where records
/// nest.
replay_graph graph_of(const run& r);

/// What is different in a replay.
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
  /// What waits for operation i.
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
