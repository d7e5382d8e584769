// waiting.hpp - waiting for a task, an event or a scope: on a worker by suspension, on any other thread by blocking.
//
// Threads     any thread of the runtime.
// Cost        a task at the bottom of the worker's own queue that is waited for is called; all else suspends.
#pragma once

#include <source_location>

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// A worker's task lets what else is ready on this worker go first, and what is polled be looked at; false: there is no stack to leave
/// this one for. A stepped one always leaves, so that other runtimes may be stepped.
bool let_others_run(const std::source_location& where);

/// Returns when everything counted in the scope has ended, having run what of it this worker has.
void wait_for_scope(finish_scope& scope);

}  // namespace stretto::sched
