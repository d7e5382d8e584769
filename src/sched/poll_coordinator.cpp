#include "sched/poll_coordinator.hpp"

#include <algorithm>

#include "sched/scheduler.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::sched {

void poll_coordinator::begin(scheduler& owner) {
  owner_.store(&owner, std::memory_order_seq_cst);
  if (owner.settings.stepped) return;  // the thread that steps polls
  dedicated_.start_with(owner);
  service_.start_with(owner);
  hand_over();
}

void poll_coordinator::end() noexcept {
  dedicated_.stop();
  service_.stop();
  owner_.store(nullptr, std::memory_order_seq_cst);
}

// A poll may spawn tasks and trigger events. They must not count as caused by the task that the worker ran last.
std::size_t poll_coordinator::poll_idle(worker& w) noexcept {
  if (!any_pending()) return 0;
  w.current = nullptr;
  if (w.scope != w.owner->root) enter_scope(w, w.owner->root);
  ++w.spawn_suspension_disabled;
  const std::size_t ended = poll_each();
  --w.spawn_suspension_disabled;
  polls_of_workers_.fetch_add(1, std::memory_order_relaxed);
  if (ended) note_found();
  return ended;
}

void poll_coordinator::note_time_of_find() noexcept {
  const std::int64_t time = now(), gap = time - found_last_.exchange(time, std::memory_order_relaxed);
  if (gap > longest_.load(std::memory_order_relaxed)) longest_.store(gap, std::memory_order_relaxed);
}

void poll_coordinator::begin_waiting() noexcept {
  found_last_.store(now(), std::memory_order_relaxed);
  longest_.store(0, std::memory_order_relaxed);
  measuring_.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t poll_coordinator::longest_wait() const noexcept {
  return static_cast<std::uint64_t>(std::max({std::int64_t{0}, longest_.load(std::memory_order_relaxed),
                                              now() - found_last_.load(std::memory_order_relaxed)}));
}

void poll_coordinator::call_service_thread(bool is_asleep) noexcept {
  all_will_call();
  if (const std::int64_t due = earliest_due(); due != never) service_.call(due, is_asleep);
}

service_thread::client::finding poll_coordinator::poll_once(thread_state& t) noexcept {
  const std::int64_t due = earliest_due();
  if (due > now()) return {due, finding::nothing};
  const std::uint64_t polls = polls_of_workers_.load(std::memory_order_relaxed);
  if (polls != seen_) {
    seen_ = polls;
    return {due, finding::workers_poll};  // workers have polled since the last call
  }
  t.owner->outside_began(scheduler::one_poll);
  const std::size_t ended = poll_each();
  if (ended) note_found();
  // While operations are pending, a woken worker would find no untriggered events, and only poll what this thread
  // polls.
  t.owner->outside_ended(scheduler::one_poll, [&] { return ended > 0 || !any_pending(); });
  if (!ended) all_will_call();
  return {earliest_due(), ended ? finding::worked : finding::nothing};
}

void poll_coordinator::sooner(std::int64_t due, urgency how) noexcept {
  scheduler* const owner = owner_.load(std::memory_order_seq_cst);
  if (!owner) return;  // begin() will check what is pending
  dedicated_.wake();
  if (due == never) return;  // the poller will call poll_now()
  // A worker that searches for work polls, or calls hand_over() when it stops.
  const std::uint64_t workers = owner->searching_and_parked.load(std::memory_order_seq_cst);
  if (workers & 0xffffffffu) return;
  // Wake a worker rather than the service thread, which would have to wake a worker to run the tasks that it finds.
  if (how == urgency::at_once && workers >> 32 && due <= now()) return owner->wake_any();
  service_.call(due, how == urgency::at_once);
}

// At the end of a runtime, idle workers poison no events while operations are pending. Now one of them must check
// again.
void poll_coordinator::none_pending() noexcept {
  if (scheduler* const owner = owner_.load(std::memory_order_seq_cst))
    if (owner->draining.load(std::memory_order_seq_cst)) owner->wake_any();
}

}  // namespace stretto::sched
