// cancellation.hpp - who decides whether a task begins or is cancelled, and how a cancelled one ends.
//
// Who begins a task marks it, fences, and looks whether anybody cancels; who cancels says so, fences, and looks for
// the mark. So one of them sees the other, at no cost to tasks that nobody cancels (base/asymmetric_fence.hpp). A
// worker that sees a cancel waits for its decision, under the lock.
//
// A cancelled task is done at once, but stays linked where it waits or is queued, with the executor's reference:
// whoever comes upon it there drops it (begin() in running.hpp).
//
// Threads     any of the runtime; the caller holds a reference to the task.
#pragma once

#include <source_location>

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// S18, of a task that has been withdrawn.
failure_ref cancelled_failure(const task_record& task, const std::source_location& where);
/// Ends the task with S18 if it has not begun; whether it did.
bool cancel_task(thread_state& t, task_record& task, const std::source_location& where);
/// Calls `f` unless the task has been cancelled, and no cancel of it is decided meanwhile.
template <class F>
void unless_cancelled(scheduler& owner, const task_record& task, F&& f) {
  const std::scoped_lock lock(owner.cancel_mutex);
  if (!task.is_done() && std::ranges::find(owner.withdrawn, &task) == owner.withdrawn.end()) f();
}

}  // namespace stretto::sched
