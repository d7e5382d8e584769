// substitute.hpp - stands in for the only worker of a runtime while that has no thread, or one that is blocked.
//
// With one worker, what an attached thread submits would wait for ever while nobody is inside run, or while the body of
// run waits for that very thread. So the first attachment starts one more thread, whose worker is none of the
// runtime's: this_worker() calls it 0. While nobody is inside run it does what the worker would do. Otherwise it runs
// what threads that are no workers have submitted, if the worker has not come by for `patience_ns`, and what follows
// from that.
//
// Threads     its own.
// Cost        it sleeps unless such a thread submits something or waits.
// Invariants  while it may run something it counts as work of a module (scheduler::outside), so that the end of the
//             runtime does not take what waits as abandoned.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

inline constexpr std::int64_t patience_ns = 1'000'000;

inline bool is_substitute(const worker& w) noexcept { return w.index >= w.owner->workers.size(); }

/// As wait_for_work, for the substitute's worker.
item wait_as_substitute(worker& w);

}  // namespace stretto::sched
