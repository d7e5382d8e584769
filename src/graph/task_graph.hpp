// task_graph.hpp - which tasks follow which, over whole buffers; and when horizons are due. The same on every node.
//
// Threads     one owner.
// Cost        add: `stretto bench graph_topologies`.
// Memory      as sequence and access_fronts: bounded, if horizons are.
// Invariants  (1) two tasks of which one writes what the other uses, or that are collective and of one group, or of which one affects what
//             the other names, are ordered as they were added, through dependencies. (2) no dependency leads behind the horizon before
//             the last.
// Source      Thoman, Salzmann, "Command Horizons": a horizon is applied when the next is made.
#pragma once

#include <optional>
#include <vector>

#include "graph/access_fronts.hpp"
#include "graph/buffer_table.hpp"
#include "graph/effect_order.hpp"
#include "graph/horizon_policy.hpp"
#include "graph/plan_cache.hpp"
#include "graph/sequence.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

struct ordered_task {
  task_id id;
  dependencies follows;  // numbers of tasks
};

class task_graph {
 public:
  explicit task_graph(const horizon_policy& p = {}) : policy_(p) {}

  buffer_id add(const buffer& b);
  void remove(buffer_id b) { fronts_.remove(b); }

  /// The next task; what all of its chunks use together orders it.
  ordered_task add(const task& t);
  /// A horizon, if one is due now. To be asked after each task.
  std::optional<ordered_task> add_horizon();
  ordered_task add_epoch();

  /// The number of the task that is added next.
  std::uint64_t next() const noexcept { return tasks_.next(); }

  void set(const horizon_policy& p) noexcept { policy_ = p; }
  /// How many horizons there were.
  std::uint64_t horizons() const noexcept { return horizons_; }
  std::size_t remembered() const noexcept { return tasks_.remembered(); }

 private:
  horizon_policy policy_;
  sequence tasks_;
  effect_order effects_;
  std::uint64_t horizons_ = 0;
  buffer_table<access_fronts> fronts_;
  plan_cache<std::vector<used_boxes>> used_;               // by access
};

}  // namespace stretto::graph
