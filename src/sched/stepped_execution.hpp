// stepping.hpp - a runtime without threads of its own: one thread plays all workers, in an order drawn from a seed.
//
// Threads     one at a time: whoever calls step or run.
// Cost        as the threaded search; only for tests and replays.
// Invariants  the same seed and program give the same order of tasks: no clock, no address, no other thread decides.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Draws the worker that acts next and becomes it, `w` included; returns what it runs. 0 if nothing is ready or no
/// step is left.
item draw_step(worker*& w);

}  // namespace stretto::sched
