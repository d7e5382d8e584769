// work_search.hpp - how a worker finds the next task or suspension to run.
//
// It searches its own queues along the pop path, then the tasks bound to it and submitted by other threads. Then it
// steals along the steal path: the oldest tasks first, half of them at once. A thief that finds nothing leaves a steal
// request with the owner (deque.hpp).
//
// Threads     the worker itself.
// Cost        next_local: a few loads if queues are empty. steal: two loads per queue searched.
// Source      pop and steal paths: HiPER. Stealing half: Hendler, Shavit, "Non-blocking steal-half work queues", 2002.
#pragma once

#include "base/clock.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {

/// An item that this worker may run without stealing; 0 if none. Tasks bound to it or submitted by other threads are
/// passed over for newer tasks of its own at most 63 times in a row.
item next_local(worker& w);
/// next_of_own ignores tasks that threads which are not workers have submitted for any worker; take_submitted takes
/// only those.
item next_of_own(worker& w);
item take_submitted(worker& w);
/// Whether take_submitted would find something.
bool any_submitted(const worker& w) noexcept;
/// Whether next_local would find an item; a hint.
bool has_local(const worker& w) noexcept;
/// True as often as the tasks that next_local passes over are due. For callers that run tasks without next_local.
bool is_other_work_due(worker& w) noexcept;
/// The worker's newest task, unless something else may have to run first; then 0.
inline item next_quickly(worker& w) {
  if ((w.ticks & 63) == 63 || w.urgent.highest() > 0 || w.bound_urgent.highest() > 0 ||
      (w.paused_spawner && !w.tasks_until_resume)) [[unlikely]]
    return 0;
  ++w.ticks;
  if (w.paused_spawner) --w.tasks_until_resume;
  return w.default_queue->pop();
}
/// When a worker that starts spinning now goes to sleep; in nanoseconds of base::nanoseconds_now.
inline std::uint64_t spin_end(const worker& w) noexcept { return base::nanoseconds_now() + w.spin.spin_ns(); }
/// Takes an item from other workers and places; 0 if none was found.
item steal(worker& w);
/// Called inside a poll: true if nothing is ready or runs, and no module executes anything. False if that is unknown,
/// for example if a worker polls that has not yet searched for work.
bool is_idle_in_poll(const scheduler& owner) noexcept;
/// The next thing to run: searches, spins, sleeps. 0 when the runtime ends.
item wait_for_work(worker& w);

}  // namespace stretto::sched
