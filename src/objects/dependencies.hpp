// dependencies.hpp - which earlier tasks a task must follow, because of how they use one array.
//
// Order is that of submission. Along each element, tasks form groups: tasks that may share it (readers; reductions by one
// operator), or one task alone. A task joins the last group if it may share with it, and then follows the group before;
// else it begins a group of its own and follows the last one.
//
// Threads     one owner, together with its task_slots.
// Cost        per argument, predecessors included: 240 to 340 instructions for a whole array, 630 for one of 1,024 tiles
//             that come again (50 and 80 ns on a 2.3 GHz Xeon); about 15 more per tile where borders have cut the box into
//             several (bench/micro/objects_micro.cpp). A new box cuts tiles: tile_map.hpp.
// Memory      per tile two groups; groups hold at most twice as many tasks as were live in them, or 16. Past a limit, at
//             first 1,024 tiles, those without live tasks are forgotten.
// Invariants  (1) each predecessor is live, is not the task itself, and conflicts with the task. (2) every live task that
//             conflicts with it is among the predecessors or comes before one of them.
//             Both hold if tasks are retired after all of their predecessors: when they have finished, or as soon as
//             whatever is done with later tasks is ordered behind them by other means.
// Source      last writer and readers per element: the usual scheme of superscalar task runtimes (StarPU, StarSs); groups
//             make reductions a case of the same rule.
#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "data/usage.hpp"
#include "geometry/tile_map.hpp"
#include "objects/task_slots.hpp"

namespace stretto::objects {

class dependencies {
 public:
  /// `tasks` outlives it.
  explicit dependencies(task_slots& tasks) : tasks_(tasks) {}
  dependencies(const dependencies&) = delete;

  /// `task`, the last one submitted, uses `where` so. Appends whom it must follow, each once as long as all accesses of a
  /// task, to whichever arrays, come before those of the next.
  void access(const box& where, data::usage how, task_id task, std::vector<task_id>& predecessors);
  void access(const region& where, data::usage how, task_id task, std::vector<task_id>& predecessors) {
    for (const box& b : where.boxes()) access(b, how, task, predecessors);
  }

  /// Forgets what only concerns tasks that are retired.
  void forget();

  std::size_t tiles() const noexcept { return tiles_.size(); }
  /// Tasks remembered, each as often as it is in a group; for tests. Cost: O(groups).
  std::size_t remembered() const noexcept;

 private:
  struct group {
    data::usage how;
    std::uint32_t uses = 0;  // by group_ref
    std::uint32_t prune_at = 16;  // members from which on retired ones are looked for
    std::vector<task_id> members;
    std::vector<group*>* free = nullptr;
  };

  /// Counts the uses of a group, which is free again after the last.
  class group_ref {
   public:
    group_ref() = default;
    explicit group_ref(group* g) noexcept : to_(g) { take(); }
    group_ref(const group_ref& other) noexcept : to_(other.to_) { take(); }
    group_ref(group_ref&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
    group_ref& operator=(group_ref other) noexcept {
      std::swap(to_, other.to_);
      return *this;
    }
    ~group_ref() { if (to_ && --to_->uses == 0) to_->free->push_back(to_); }

    group* get() const noexcept { return to_; }
    group* operator->() const noexcept { return to_; }
    explicit operator bool() const noexcept { return to_; }
    friend bool operator==(const group_ref&, const group_ref&) = default;

   private:
    void take() noexcept { if (to_) ++to_->uses; }
    group* to_ = nullptr;
  };

  struct history {
    group_ref before, last;
    friend bool operator==(const history&, const history&) = default;
  };

  group_ref new_group(data::usage how, task_id task);
  void drop_retired(group& g) const;
  void follow(const group_ref& g, task_id task, std::vector<task_id>& predecessors);

  task_slots& tasks_;
  std::deque<group> groups_;
  std::vector<group*> free_;
  tile_map<history> tiles_;  // after the groups, so that it goes first
  std::size_t limit_ = 1024;
};

}  // namespace stretto::objects
