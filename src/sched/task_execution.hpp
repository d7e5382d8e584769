// task_execution.hpp - executes tasks on stacks: starts, suspends, resumes and ends them.
//
// Threads     workers.
// Cost        run_task: the body and about 10 ns. suspend and resume: two switches of 2 ns each and a search of the
//             worker's own queues.
// Invariants  (1) the hook of suspend runs on the next stack, so a suspension is published only after its own stack has
//             been left. (2) after suspend or run_task the caller may be on another worker: look it up again.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/sanitizers.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::sched {

/// Ends a task that has run or is skipped: completes it with its value or failure, fires its waiters, counts in its
/// scope.
void end_task(thread_state& t, task_record& task, failure_ref cause) noexcept;
/// Ends a task that has not begun and must not run.
void skip_task(thread_state& t, task_record& task, failure_ref cause) noexcept;
/// Inside a catch block: the failure that the task's body threw, with a reference for the caller.
const failure* take_thrown(task_record& task) noexcept;

/// As begin, while a cancel is in progress.
bool begin_during_cancel(scheduler& owner, const task_record& task) noexcept;
/// Begins a task, to run or skip it. False if the task has been cancelled: then the caller must give up the executor's
/// reference and touch nothing else of the task.
[[gnu::always_inline]] inline bool begin(scheduler& owner, task_record& task) noexcept {
  task.pending.store(task_record::begun, std::memory_order_relaxed);
  base::asymmetric::light();  // see cancellation.hpp
  if (owner.cancelling.load(std::memory_order_acquire)) [[unlikely]]
    return begin_during_cancel(owner, task);
  return !task.is_done();
}

/// Runs the body; returns the failure that it threw, or null.
[[gnu::always_inline]] inline const failure* run_body(worker& w, task_record& task) {
  w.current = &task;
  base::announce_acquire(&task);
  if (w.scope != task.scope) enter_scope(w, task.scope);
  try {
    task.type().run(task.storage());
  } catch (...) {
    return take_thrown(task);
  }
  return nullptr;
}

/// Whether the caller certainly holds a reference to the task besides the executor's.
enum class holder { unknown, caller };

template <holder Holder = holder::unknown>
[[gnu::always_inline]] inline void end_run(worker& now, task_record& task, const failure* thrown) noexcept {
  if (thrown) [[unlikely]]
    return end_task(now, task, failure_ref::adopt(thrown));
  finish_scope* const scope = task.scope;
  if constexpr (Holder == holder::caller) task.complete_held(now);
  else task.complete(now);
  count_ended(now, scope);
}

/// As run_task(), for a task that the sampler has chosen.
worker& run_timed(worker& w, task_record& task);

/// Runs one fresh task on the current stack; returns the worker that the caller is on afterwards.
template <holder Holder = holder::unknown>
[[gnu::always_inline]] inline worker& run_task(worker& w, task_record& task) {
  if (!begin(*w.owner, task)) [[unlikely]] {
    task.release();
    return w;
  }
  if (w.tasks.take()) [[unlikely]]
    return run_timed(w, task);
  const failure* thrown = run_body(w, task);
  worker& now = *this_thread()->as_worker;
  end_run<Holder>(now, task, thrown);
  return now;
}
/// Leaves the current stack with `s` filled in; `hook(worker, argument)` runs once it is safe to continue `s`.
void suspend(worker& w, suspension& s, void (*hook)(worker&, void*), void* argument);
/// Pushes to the spawner's full queue: suspends the spawner while other tasks run, or grows the queue.
void push_when_full(worker& w, item i) noexcept;

/// Sets a stack aside for the worker's own loop, before tasks can take them all.
void reserve_stack(worker& w);

/// The calling thread becomes this worker, on its own stack; leave_worker ends that.
void enter_worker(worker& w);
void leave_worker(worker& w) noexcept;
/// A worker's thread, from its start to the end of the runtime.
void run_thread(worker& w);
/// Stepped runtimes: runs one ready task until it ends or suspends; false if nothing is ready.
bool step(scheduler& owner);

}  // namespace stretto::sched
