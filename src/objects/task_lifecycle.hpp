// task_lifecycle.hpp - the steps of a task from submission to its end, and signals. Needs the state's mutex unless
// stated.
//
// Threads     the thread that holds the mutex through `objects_lock`.
// Invariants  no thread waits while it holds the mutex. The only code of the program that runs under it is its
//             scheduler.
#pragma once

#include <span>

#include "objects/task.hpp"

namespace stretto::objects {

/// Locks the mutex unless this thread holds it already. Before it unlocks, it handles pending signals and issues all
/// tasks that can be issued.
class objects_lock {
 public:
  objects_lock(objects_state& s, base::thread_context& context) noexcept;
  objects_lock(const objects_lock&) = delete;
  ~objects_lock();

  bool is_nested() const noexcept { return is_nested_; }

 private:
  objects_state& state_;
  base::thread_context& context_;
  const bool is_nested_;
};

/// Without the mutex: posts `s`, which the holder of the mutex handles, or this call.
void post_signal(signal& s, failure_ref cause, base::thread_context& context) noexcept;
/// Without the mutex: posts `s`, which has no cause. Handled by the next holder of the mutex; at once if
/// must_handle_ends.
void post_lazily(signal& s, base::thread_context& context) noexcept;
/// Without the mutex: handles pending signals, unless the holder of the mutex will.
void handle_pending_signals(objects_state& s, base::thread_context& context) noexcept;
/// With the mutex, on a thread that cannot use objects_lock: posts `s` for the next holder.
void enqueue_signal(signal& s) noexcept;
/// Posts `s` when `d` has ended, which may be in this call.
void post_when_ended(const dependency& d, signal& s, base::thread_context& context);

/// A task that was submitted before, and may have ended.
struct predecessor {
  task_id id;
  event done;
};
/// Submits a task: finds its predecessors, and issues it when it can. Takes ownership. Counts the task in the caller's
/// finish if it computes.
task_id submit(task* t, std::span<const event> after, std::span<const predecessor> behind,
               base::thread_context& context);
/// Lets successors be issued: the task has been issued, or has ended if it blocks them, or has failed.
void release_successors(task& t, base::thread_context& context);
/// Ends a task that will not run.
void fail_task(task& t, failure_ref cause, base::thread_context& context);
/// Ends the task's event and frees the task.
void finish(task& t, failure_ref cause, base::thread_context& context);

/// The data of this fetch is about to arrive. Issues it before tasks that wait for memory: these may wait for its
/// export.
void issue_next(task& t);
/// Removes a fetch that has ended without data from all queues.
void remove_from_queues(task& t);

/// Queues the task at another place that can run it. Returns false if there is none.
bool reassign(task& t);
/// If `cause` is the loss of a device, marks all lost devices, and the data that only they had as lost. Returns whether
/// a device was marked.
bool mark_lost_devices(objects_state& s, const failure_ref& cause);

/// Copies all arguments to where the task will run, and starts it. Returns false if memory is missing now. Throws the
/// failure.
bool issue(task& t, execution_place& at, base::thread_context& context);

/// The program has released a host view.
void on_view_released(signal& self, failure_ref cause, base::thread_context& context);

}  // namespace stretto::objects
