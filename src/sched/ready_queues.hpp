// readying.hpp - where something that may now run is put, and who is told.
//
// Threads     any thread of the runtime; the thread that calls is the one whose queues are used.
// Cost        a worker's own queue: a few instructions and a look for sleepers. Bound to another worker: one
//             compare-and-swap, and a wake-up if that worker sleeps.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// To the queue of its place, or to the worker it is bound to, or to the caller's own.
void make_ready(thread_state& t, suspension& s) noexcept;
void make_ready(thread_state& t, task_record& task) noexcept;

}  // namespace stretto::sched
