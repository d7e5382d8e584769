// effect_order.hpp - tasks that follow one another for what they do beside buffers: for a side effect, or as collective tasks of one group.
//
// Threads     one owner.
// Cost        a step for each side effect and group that is in use.
// Memory      numbers since the horizon applied last.
// Invariants  (1) nobody is told to follow what is older than the horizon applied last: that stands for it.
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

  /// Appends whom the task follows.
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
  /// What the task is here: number `number`.
  void add(const task& t, const sequence& order, std::uint64_t number) {
    each(t, [&](std::uint64_t key, bool is_affected) {
      auto found = std::ranges::find(all_, key, &state::key);
      if (found == all_.end()) {
        forget(order.applied());
        found = all_.insert(all_.end(), {.key = key, .is_affected = has_forgotten_, .affected = order.applied(), .users = {}});
      }
      std::erase_if(found->users, [&](std::uint64_t user) {
        if (user > order.applied()) return false;
        found->is_affected = true, found->affected = std::max(found->affected, order.applied());  // it stands for that
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
    bool is_affected;  // or nobody has
    std::uint64_t affected;
    std::vector<std::uint64_t> users;  // since then
  };

  void forget(std::uint64_t applied) {
    if (all_.size() < most) return;
    const auto is_old = [&](const state& s) {
      return s.affected <= applied && std::ranges::all_of(s.users, [&](std::uint64_t user) { return user <= applied; });
    };
    if (std::erase_if(all_, is_old) > 0) has_forgotten_ = true;
  }

  static constexpr std::size_t most = 16;  // that are looked through before some are forgotten
  std::vector<state> all_;
  bool has_forgotten_ = false;
};

}  // namespace stretto::graph
