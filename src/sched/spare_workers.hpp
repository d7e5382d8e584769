// spare_workers.hpp - workers that run tasks while others block in system calls.
//
// A spare worker sleeps until the monitor finds that as many workers block. Then it takes ready tasks as any worker
// does, also those in the queues of the worker that blocks. Once it is no longer wanted, it gives the tasks that are
// ready in its own queues back at the next suspension or end of a task, and sleeps again.
//
// Threads     want_spares: the monitor. The rest: the spare worker's own thread.
// Cost        nothing while no worker blocks. While one does, an idle spare worker wakes every millisecond.
// Invariants  (1) spare workers are not in scheduler::workers: nothing is bound to them or counted on them. (2) while a
//             spare worker may run something, it counts as work of a module (scheduler::outside).
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Lets as many spare workers run tasks, at most all.
void want_spares(scheduler& owner, std::uint32_t count) noexcept;

/// As wait_for_work, for a spare worker.
item wait_as_spare(worker& w);

}  // namespace stretto::sched
