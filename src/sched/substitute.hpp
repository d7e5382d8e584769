// substitute.hpp - stands in for the only worker of a runtime while that worker has no thread or its thread is blocked.
//
// With one worker, tasks from an attached thread would wait for ever while no thread is inside run, or while the body
// of run waits for that attached thread. So the first attachment starts one more thread with a worker of its own, which
// this_worker() reports as worker 0. While no thread is inside run, it does the work of worker 0. Otherwise it runs the
// tasks submitted by threads that are not workers, and what these make ready, once the worker has not taken them for
// `patience_ns`.
//
// Threads     its own.
// Cost        it sleeps unless such a thread submits something or waits.
// Invariants  while it may run something it counts as work of a module (scheduler::outside), so that the end of the
//             runtime does not take events for untriggered.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

inline constexpr std::int64_t patience_ns = 1'000'000;

inline bool is_substitute(const worker& w) noexcept { return w.index >= w.owner->workers.size() && !w.spare_number; }

/// As wait_for_work, for the substitute's worker.
item wait_as_substitute(worker& w);

}  // namespace stretto::sched
