// cancellation.hpp - the decision whether a task begins or is cancelled, and the end of a cancelled task.
//
// A worker that begins a task marks it, fences, and checks for cancels in progress. A thread that cancels announces the
// cancel, fences, and checks for the mark. At least one of them sees the other, and the worker pays only a light fence
// (base/asymmetric_fence.hpp). A worker that sees a cancel in progress decides under the lock.
//
// A cancelled task is done at once. It stays linked in its wait list or queue, with the executor's reference; the
// worker that takes it from there drops that reference (begin() in task_execution.hpp).
//
// Threads     any of the runtime; the caller holds a reference to the task.
#pragma once

#include <source_location>

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// The failure S18 of a cancelled task.
failure_ref cancelled_failure(const task_record& task, const std::source_location& where);
/// Ends the task with S18 and returns true, if the task has not begun.
bool cancel_task(thread_state& t, task_record& task, const std::source_location& where);
/// Calls `f` unless the task has been cancelled. No cancel of it is decided during the call.
template <class F>
void unless_cancelled(scheduler& owner, const task_record& task, F&& f) {
  const std::scoped_lock lock(owner.cancel_mutex);
  if (!task.is_done() && std::ranges::find(owner.withdrawn, &task) == owner.withdrawn.end()) f();
}

}  // namespace stretto::sched
