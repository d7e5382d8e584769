// task_slots.hpp - slots with generations for submitted tasks; a task is live until no later task need wait for it.
//
// Threads     one owner, together with all `dependencies` that use it.
// Cost        each call: a load and a store or two. 16 bytes per slot.
// Invariants  (1) an id is never given twice: a slot whose generations are used up is retired. (2) there are only as
//             many slots as tasks were live at a time, so a caller may keep its records in an array indexed by slot.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto::objects {

/// The id of a task; valid while the task is live.
struct task_id {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: no task
  friend constexpr bool operator==(const task_id&, const task_id&) = default;
  friend constexpr auto operator<=>(const task_id&, const task_id&) = default;
};

class task_slots {
 public:
  task_id add() {
    ++live_;
    if (free_.empty()) {
      slots_.push_back({1, {}});
      return {static_cast<std::uint32_t>(slots_.size() - 1), 1};
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return {slot, slots_[slot].generation};
  }

  /// Ends the task's life: no later task need wait for it. To be called once, after all predecessors have been retired.
  void retire(task_id t) {
    --live_;
    if (++slots_[t.slot].generation != 0) free_.push_back(t.slot);
  }

  bool is_live(task_id t) const noexcept { return t.generation != 0 && slots_[t.slot].generation == t.generation; }

  /// True the first time that `asking` asks about `about`, provided that no other task has asked about it in between.
  bool is_first_query(task_id asking, task_id about) noexcept {
    task_id& by = slots_[about.slot].queried_by;
    if (by == asking) return false;
    by = asking;
    return true;
  }

  std::size_t live() const noexcept { return live_; }
  std::size_t size() const noexcept { return slots_.size(); }

 private:
  struct slot {
    std::uint32_t generation;  // of the live task; of the next one if the slot is free
    task_id queried_by;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace stretto::objects
