// searching.hpp - how a worker finds the next thing to run.
//
// Own queues along the pop path, what is bound to it, what was injected; then others' queues along the steal path,
// oldest tasks first, half of them at once. A thief that finds nothing leaves its question with the owner (deque.hpp).
//
// Threads     the worker itself.
// Cost        next_local: a few loads where queues are empty. steal: two loads per queue looked at.
// Source      pop and steal paths: HiPER. Stealing half: Hendler, Shavit, "Non-blocking steal-half work queues", 2002.
#pragma once

#include "base/clock.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {

/// What this worker may run without asking others; 0 if nothing. What is bound to it, or was injected, is passed over
/// for newer tasks of its own at most 63 times in a row.
item next_local(worker& w);
/// The same without what threads that are no workers have put where others may take it as well; and that alone.
item next_of_own(worker& w);
item take_submitted(worker& w);
/// Whether take_submitted would find something.
bool any_submitted(const worker& w) noexcept;
/// Whether next_local would find something, as far as can be told from outside.
bool has_local(const worker& w) noexcept;
/// True as often as what next_local passes over is due. For whoever runs tasks without asking next_local.
bool is_other_work_due(worker& w) noexcept;
/// The newest task of its own, where nothing else may have to go first; 0 otherwise.
inline item next_quickly(worker& w) {
  if ((w.ticks & 63) == 63 || w.urgent.highest() > 0 || w.bound_urgent.highest() > 0 ||
      (w.paused_spawner && !w.tasks_until_resume)) [[unlikely]]
    return 0;
  ++w.ticks;
  if (w.paused_spawner) --w.tasks_until_resume;
  return w.default_queue->pop();
}
/// Until when a worker that begins now looks on before it sleeps; in nanoseconds of base::nanoseconds_now.
inline std::uint64_t spin_end(const worker& w) noexcept { return base::nanoseconds_now() + w.spin.spin_ns(); }
/// From other workers and places; 0 if nothing was found.
item steal(worker& w);
/// Inside a poll: nothing is ready or runs, and no module has anything. False where that cannot be told, as when a worker polls that
/// has yet to look for work of its own.
bool is_idle_in_poll(const scheduler& owner) noexcept;
/// The next thing to run: searches, spins, sleeps. 0 when the runtime ends.
item wait_for_work(worker& w);

}  // namespace stretto::sched
