// waiting.hpp - waiting for a task, an event or a scope: on a worker by suspension, on any other thread by blocking.
//
// Threads     any thread of the runtime.
// Cost        a wait for the newest task of the worker's own queue calls that task; every other wait may suspend.
#pragma once

#include <source_location>

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Waits for a completion that is no task's: the same as wait(dependency(c)) without the search for a task to run.
void wait_for_operation(completion& c, const std::source_location& where);

/// The calling task yields to other ready tasks of its worker, and polls. False: no stack is free to switch to. In a
/// stepped runtime it always suspends, so that other runtimes may be stepped.
bool let_others_run(const std::source_location& where);

/// Returns when all tasks counted in the scope have ended. Meanwhile it runs those that are in this worker's queue.
void wait_for_scope(finish_scope& scope);

}  // namespace stretto::sched
