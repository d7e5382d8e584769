// running.hpp - the steps in a task's life, for those who make one; behind the state's mutex unless they say otherwise.
//
// Threads     whoever holds the mutex through `inside`.
// Invariants  nothing waits behind the mutex, and nothing of the program's runs there but its scheduler.
#pragma once

#include <span>

#include "objects/task.hpp"

namespace stretto::objects {

/// Holds the mutex, if the thread does not hold it already; before it lets go, deals with what has happened meanwhile and issues
/// what can be.
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

/// Not behind the mutex: `s` is dealt with by whoever is inside, or in this call.
void post_signal(signal& s, failure_ref cause, base::thread_context& context) noexcept;
/// Not behind the mutex: `s`, which brings no cause, is dealt with by the next who is inside; at once if somebody waits for ends.
void post_lazily(signal& s, base::thread_context& context) noexcept;
/// Not behind the mutex: deals with what has arrived, unless somebody who is inside will.
void handle_pending_signals(objects_state& s, base::thread_context& context) noexcept;
/// Behind the mutex, on a thread that cannot be inside: `s` is dealt with by the next who is.
void enqueue_signal(signal& s) noexcept;
/// Lets `s` arrive when `d` has ended, which may be in this call.
void post_when_ended(const dependency& d, signal& s, base::thread_context& context);

/// A task that was submitted before, and may have come to its end.
struct predecessor {
  task_id id;
  event done;
};
/// Finds whom it follows; from here on it goes by itself. Takes it over, and counts it in the caller's finish if it computes.
task_id submit(task* t, std::span<const event> after, std::span<const predecessor> behind, base::thread_context& context);
/// It has been issued, or has ended where it holds back, or was given up: what follows it may be issued.
void release_successors(task& t, base::thread_context& context);
/// It will not be computed.
void fail_task(task& t, failure_ref cause, base::thread_context& context);
/// Tells who waits, and frees it.
void finish(task& t, failure_ref cause, base::thread_context& context);

/// What it was to bring is about to come: it is issued before what waits for room, which may wait for what is lent to it.
void issue_next(task& t);
/// It ends without: it stands in no queue from now on.
void remove_from_queues(task& t);

/// Another site does it, if one can: false.
bool reassign(task& t);
/// Something has failed because of `cause`. If that is the loss of a device, the devices that are lost are marked so,
/// and data that they alone had is lost. Returns whether one was found that had not been marked.
bool mark_lost_devices(objects_state& s, const failure_ref& cause);

/// Brings everything to where the task is to be computed and hands it over. False: there is no room now. Throws what it fails with.
bool issue(task& t, execution_place& at, base::thread_context& context);

/// The host gives elements back.
void on_view_released(signal& self, failure_ref cause, base::thread_context& context);

}  // namespace stretto::objects
