// shared_core.hpp - two workers on one core: the idle one moves to a core that no worker uses.
//
// The kernel may leave two workers that wait for each other on one core for long, although others are free. Then the
// spinning of one delays the other in every step. Workers are not bound to cores, since threads that a program starts
// would inherit that.
//
// Threads     a worker calls for itself.
// Cost        note_core: the core's number, read without a system call. is_core_shared: a load for each worker. A move:
//             three system calls and a migration, at most one in `least_stay_ns`.
// Invariants  (1) afterwards the thread may run on the same cores as before.
#pragma once

#include <cstdint>

namespace stretto::sched {

struct worker;

/// Publishes the core on which the worker runs.
void note_core(worker& w) noexcept;
/// Whether another worker that is awake was on the worker's core when it last published that.
bool is_core_shared(const worker& w) noexcept;
/// Moves to a core that no worker uses. False if there is none, or if the last move was too short a time ago.
bool leave_core(worker& w, std::uint64_t now_ns) noexcept;

}  // namespace stretto::sched
