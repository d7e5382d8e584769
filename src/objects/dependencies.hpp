// dependencies.hpp - dependency analysis: which earlier tasks a task must follow because both use one array.
//
// Tasks are ordered by submission. For each element, tasks form groups. A group holds tasks that may share the element
// (readers, or reductions by one operator), or a single task. A task joins the last group if it may share with it, and
// follows the group before. Otherwise it starts a new group and follows the last one.
//
// Threads     one owner, together with its task_slots.
// Cost        per argument, predecessors included: 240 to 340 instructions for a whole array, 630 for one of 1,024
//             tiles whose boxes repeat (50 and 80 ns on a 2.3 GHz Xeon). About 15 more per tile if borders have cut the
//             box into several (bench/micro/objects_micro.cpp). A new box cuts tiles: tile_map.hpp.
// Memory      two groups per tile. A group holds at most 16 tasks, or twice as many as were live in it. Tiles without
//             live tasks are dropped when the number of tiles exceeds a limit, at first 1,024.
// Invariants  (1) each predecessor is live, is not the task itself, and conflicts with the task. (2) every live task
//             that conflicts with it is among the predecessors or comes before one of them. Both hold if a task is
//             retired after all of its predecessors: when they have finished, or once later tasks are ordered behind
//             them by other means.
// Source      last writer and readers per element: the usual scheme of superscalar task runtimes (StarPU, StarSs).
//             Groups extend the rule to reductions.
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
  /// `tasks` must outlive this object.
  explicit dependencies(task_slots& tasks) : tasks_(tasks) {}
  dependencies(const dependencies&) = delete;

  /// Records that `task`, the last one submitted, uses `where` in mode `how`, and appends the tasks that it must
  /// follow. No predecessor is appended twice if all accesses of one task, to any arrays, come before those of the
  /// next.
  void access(const box& where, data::usage how, task_id task, std::vector<task_id>& predecessors);
  void access(const region& where, data::usage how, task_id task, std::vector<task_id>& predecessors) {
    for (const box& b : where.boxes()) access(b, how, task, predecessors);
  }

  /// Drops the tiles of which all tasks are retired.
  void forget();

  std::size_t tiles() const noexcept { return tiles_.size(); }
  /// Number of entries in all groups, one per task and group; for tests. Cost: O(groups).
  std::size_t remembered() const noexcept;

 private:
  struct group {
    data::usage how;
    std::uint32_t uses = 0;       // number of group_refs
    std::uint32_t prune_at = 16;  // number of members at which retired ones are removed
    std::vector<task_id> members;
    std::vector<group*>* free = nullptr;
  };

  /// Counts the references to a group and returns the group to the free list after the last one.
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
    ~group_ref() {
      if (to_ && --to_->uses == 0) to_->free->push_back(to_);
    }

    group* get() const noexcept { return to_; }
    group* operator->() const noexcept { return to_; }
    explicit operator bool() const noexcept { return to_; }
    friend bool operator==(const group_ref&, const group_ref&) = default;

   private:
    void take() noexcept {
      if (to_) ++to_->uses;
    }
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
  tile_map<history> tiles_;  // declared after the groups, so that it is destroyed first
  std::size_t limit_ = 1024;
};

}  // namespace stretto::objects
