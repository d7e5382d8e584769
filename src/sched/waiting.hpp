// waiting.hpp - waiting for a task, an event or a scope: on a worker by suspension, on any other thread by blocking.
//
// Threads     any thread of the runtime.
// Cost        a task at the bottom of the worker's own queue that is waited for is called; all else suspends.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Returns when everything counted in the scope has ended, having run what of it this worker has.
void wait_for_scope(finish_scope& scope);

}  // namespace stretto::sched
