// task_slots.hpp - which submitted tasks may still have to be waited for.
//
// Threads     one owner, together with all `dependencies` that use it.
// Cost        each call: a load and a store or two. 16 bytes per slot.
// Invariants  (1) an id is never given twice: a slot whose generations are used up is not used again. (2) slots are as many
//             as tasks were ever live at a time, so a caller may keep its records in an array by slot.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto::objects {

/// A task, as long as it is live in the slots that it comes from.
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

  /// Nobody need wait for it any more. Once only, and after all its predecessors have been retired.
  void retire(task_id t) {
    --live_;
    if (++slots_[t.slot].generation != 0) free_.push_back(t.slot);
  }

  bool is_live(task_id t) const noexcept { return t.generation != 0 && slots_[t.slot].generation == t.generation; }

  /// True when `asking` asks for `about` the first time, if no other task has asked for it in between.
  bool is_first_query(task_id asking, task_id about) noexcept {
    task_id& by = slots_[about.slot].asked_by;
    if (by == asking) return false;
    by = asking;
    return true;
  }

  std::size_t live() const noexcept { return live_; }
  std::size_t size() const noexcept { return slots_.size(); }

 private:
  struct slot {
    std::uint32_t generation;  // of the live task or, if it is free, of the next
    task_id asked_by;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace stretto::objects
