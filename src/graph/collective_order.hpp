// collective_order.hpp - of each group of collective tasks the last one, which the next follows.
//
// Threads     one owner.
// Cost        a step for each group.
// Memory      one number for each group.
// Invariants  (1) nobody is told to follow what is older than the horizon applied last: that stands for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/sequence.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

class collective_order {
 public:
  /// Appends whom the task follows for its group, if it has one that another task was of.
  void before(const task& t, const sequence& order, dependencies& out) const {
    if (t.kind != task_kind::collective) return;
    for (const auto& [group, number] : last_)
      if (group == t.group) out.push_back(std::max(number, order.applied()));
  }
  /// What the task is here: number `number`.
  void add(const task& t, std::uint64_t number) {
    if (t.kind != task_kind::collective) return;
    for (auto& [group, last] : last_)
      if (group == t.group) {
        last = number;
        return;
      }
    last_.emplace_back(t.group, number);
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> last_;
};

}  // namespace stretto::graph
