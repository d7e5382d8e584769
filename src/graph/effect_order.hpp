// effect_order.hpp - order of tasks by what they do outside of buffers: side effects, and collective tasks of one
// group.
//
// Threads     one owner.
// Cost        a step for each side effect and group in use.
// Memory      numbers since the horizon applied last.
// Invariants  (1) no task follows anything older than the horizon applied last: the horizon stands for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/sequence.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

class effect_order {
 public:
  /// Calls f(key, is_affected) for each side effect of the task, and for its group.
  template <class F>
  static void each(const task& t, F f) {
    if (t.kind == task_kind::collective) f(std::uint64_t{t.group} << 32 | 0xffffffffu, true);
    for (const effect_use& e : t.effects) f(std::uint64_t{e.effect}, e.is_affected);
  }

  /// Appends the predecessors of the task.
  void before(const task& t, const sequence& order, dependencies& out) const {
    each(t, [&](std::uint64_t key, bool is_affected) {
      const auto found = std::ranges::find(all_, key, &state::key);
      if (found == all_.end()) {
        if (has_forgotten_) out.push_back(order.applied());
        return;
      }
      if (found->is_affected) out.push_back(std::max(found->affected, order.applied()));
      if (is_affected)
        for (const std::uint64_t user : found->users) out.push_back(std::max(user, order.applied()));
    });
  }
  /// Adds the task under this number.
  void add(const task& t, const sequence& order, std::uint64_t number) {
    each(t, [&](std::uint64_t key, bool is_affected) {
      auto found = std::ranges::find(all_, key, &state::key);
      if (found == all_.end()) {
        forget(order.applied());
        found = all_.insert(all_.end(),
                            {.key = key, .is_affected = has_forgotten_, .affected = order.applied(), .users = {}});
      }
      std::erase_if(found->users, [&](std::uint64_t user) {
        if (user > order.applied()) return false;
        // the horizon stands for those users
        found->is_affected = true, found->affected = std::max(found->affected, order.applied());
        return true;
      });
      if (is_affected) *found = {.key = key, .is_affected = true, .affected = number, .users = {}};
      else found->users.push_back(number);
    });
  }
  std::size_t remembered() const noexcept { return all_.size(); }

 private:
  struct state {
    std::uint64_t key;
    bool is_affected;  // false: no task has affected it
    std::uint64_t affected;
    std::vector<std::uint64_t> users;  // tasks that have used it since
  };

  void forget(std::uint64_t applied) {
    if (all_.size() < most) return;
    const auto is_old = [&](const state& s) {
      return s.affected <= applied && std::ranges::all_of(s.users, [&](std::uint64_t user) { return user <= applied; });
    };
    if (std::erase_if(all_, is_old) > 0) has_forgotten_ = true;
  }

  static constexpr std::size_t most = 16;  // entries before old ones are forgotten
  std::vector<state> all_;
  bool has_forgotten_ = false;
};

}  // namespace stretto::graph
