// own_track.hpp - the track in the trace that a task has for itself: it records the spans of the task instead of its
// worker.
//
// Threads     the worker that runs the task.
// Cost        only where every span is recorded.
#pragma once

#include "sched/worker.hpp"

namespace stretto::sched {

struct own_track {
  /// The task has run on this worker since thread_state::span_start, and suspends. Called behind leave_thread.
  virtual void ran(worker& on, const suspension& s) noexcept = 0;
  /// It resumes. Called ahead of enter_thread.
  virtual void waited(worker& on, const suspension& s) noexcept = 0;

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

}  // namespace stretto::sched
