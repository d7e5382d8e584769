// stepped_execution.hpp - a runtime without threads of its own: one thread acts as all workers, in an order drawn from
// a seed.
//
// Threads     one at a time: the thread that calls step or run.
// Cost        as the threaded search; only for tests and replays.
// Invariants  the same seed and program give the same order of tasks, independent of clocks, addresses and threads.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Draws the worker that acts next, makes the thread that worker, and sets `w` to it; returns the item to run. 0 if
/// nothing is ready or no step is left.
item draw_step(worker*& w);

}  // namespace stretto::sched
