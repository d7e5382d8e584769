// searching.hpp - how a worker finds the next thing to run.
//
// Own queues along the pop path, what is bound to it, what was injected; then others' queues along the steal path,
// oldest tasks first, half of them at once.
//
// Threads     the worker itself.
// Cost        next_local: a few loads where queues are empty. steal: two loads per queue looked at.
// Source      pop and steal paths: HiPER. Stealing half: Hendler, Shavit, "Non-blocking steal-half work queues", 2002.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// What this worker may run without asking others; 0 if nothing.
item next_local(worker& w);
/// The newest task of its own, where nothing else may have to go first; 0 otherwise.
inline item next_quickly(worker& w) {
  if ((w.ticks & 63) == 63 || !w.urgent.is_empty() || (w.interrupted && !w.room_left)) [[unlikely]]
    return 0;
  ++w.ticks;
  if (w.interrupted) --w.room_left;
  return w.home->pop();
}
/// From other workers and places; 0 if nothing was found.
item steal(worker& w);
/// The next thing to run: searches, spins, sleeps. 0 when the runtime ends.
item wait_for_work(worker& w);

}  // namespace stretto::sched
