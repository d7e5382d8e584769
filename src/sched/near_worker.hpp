// near_worker.hpp - tasks that prefer a worker without being bound to it.
//
//     async(sched::near_worker(2), after(computed), [] { ... });  // on worker 2, unless another one is idle for longer
//
// Chains of tasks that make each other ready gather on one worker, since a ready task goes to the worker that made it
// so. A preferred worker keeps each of several chains on a worker of its own. Other workers take such tasks once they
// have searched in vain for a while: a worker that is busy or blocked keeps none of them from running.
//
// Cost        from another worker: one compare-and-swap, and a wake-up if the worker sleeps.
#pragma once

#include <stretto/task_tags.hpp>

#include <cstdint>

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// A tag of async, instead of on(worker(index)).
inline on_worker near_worker(std::uint32_t index) noexcept { return on(worker_number{index | prefers_worker}); }

}  // namespace stretto::sched
