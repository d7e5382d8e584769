// own_track.hpp - the track in the trace that a task has for itself: it records the spans of the task instead of its
// worker.
//
// A thread that is no worker, such as one of a program's own, has a track by its thread_companion, too.
//
// Threads     the worker that runs the task, or the thread.
// Cost        only where every span is recorded.
#pragma once

#include "sched/worker.hpp"

namespace stretto::sched {

struct own_track {
  /// The task has run on this thread from thread_state::span_start until `since`, and suspends or blocks. Called behind
  /// leave_thread.
  virtual void ran(thread_state& on, trace::ticks since) noexcept = 0;
  /// It goes on; `made_ready_by` is the operation that has ended the wait. Called ahead of enter_thread.
  virtual void waited(thread_state& on, std::uint64_t made_ready_by) noexcept = 0;

 protected:
  ~own_track() = default;
};

/// A thread_companion that may have the track of its task is a track_owner, too.
struct track_owner {
  /// Null: the spans of this task are on the track of its worker.
  virtual own_track* track_of(const task_record* task) noexcept = 0;

 protected:
  ~track_owner() = default;
};

/// Null: the companion has none.
inline own_track* own_track_of(thread_companion* companion, const task_record* task) noexcept {
  auto* const owner = dynamic_cast<track_owner*>(companion);
  return owner ? owner->track_of(task) : nullptr;
}

}  // namespace stretto::sched
