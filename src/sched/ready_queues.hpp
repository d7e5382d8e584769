// ready_queues.hpp - puts a task or suspension that may run into a queue and wakes a worker if need be.
//
// Threads     any thread of the runtime; the calling thread's queues are used.
// Cost        a worker's own queue: a few instructions and a check for sleepers. Bound to another worker: one
//             compare-and-swap, and a wake-up if that worker sleeps.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Puts it into the queue of its place, of the worker that it is bound to, or of the caller.
void make_ready(thread_state& t, suspension& s) noexcept;
void make_ready(thread_state& t, task_record& task) noexcept;

}  // namespace stretto::sched
