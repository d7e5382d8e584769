// task_graph.hpp - orders tasks by their use of whole buffers, and adds horizons. The same on every node.
//
// Threads     one owner.
// Cost        add: `stretto bench graph_topologies`.
// Memory      as sequence and access_fronts: bounded, if tasks have horizons.
// Invariants  (1) two tasks are ordered as they were added, through dependencies, if one writes what the other uses, if
//             both are collective and of one group, or if one affects a side effect that the other names. (2) no
//             dependency leads behind the horizon before the last.
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
  dependencies follows;  // task numbers
};

class task_graph {
 public:
  explicit task_graph(const horizon_policy& p = {}) : policy_(p) {}

  buffer_id add(const buffer& b);
  void remove(buffer_id b) { fronts_.remove(b); }

  /// Adds the next task. Its order follows from the union of what its chunks use.
  ordered_task add(const task& t);
  /// Adds a horizon, if one is due. The caller asks after each task.
  std::optional<ordered_task> add_horizon();
  ordered_task add_epoch();

  /// The number of the next task.
  std::uint64_t next() const noexcept { return tasks_.next(); }

  void set(const horizon_policy& p) noexcept { policy_ = p; }
  /// The number of horizons so far.
  std::uint64_t horizons() const noexcept { return horizons_; }
  std::size_t remembered() const noexcept { return tasks_.remembered(); }

 private:
  horizon_policy policy_;
  sequence tasks_;
  effect_order effects_;
  std::uint64_t horizons_ = 0;
  buffer_table<access_fronts> fronts_;
  plan_cache<std::vector<used_boxes>> used_;  // by access
};

}  // namespace stretto::graph
