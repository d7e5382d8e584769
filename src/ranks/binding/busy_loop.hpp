// busy_loop.hpp - lets other ranks run while a program calls a function again and again until something has happened.
//
// Threads     that of a rank; on any other thread nothing happens.
// Why         ranks of one worker take turns where they wait. A rank that calls MPI_Test in a loop does not wait, and
//             would keep others from running for ever, also the one whose message it expects.
// Cost        a yield: a poll, and a switch if another task of the worker is ready.
#pragma once

namespace stretto::ranks {

/// A call finds nothing done: other ranks of the worker run before it returns.
void yield_without_result();

/// A call of MPI_Wtime may be one of a loop until a certain time: whether it yields. By the clock's nanoseconds, about
/// every 128th does, so that no state is needed.
constexpr bool yields_at(long nanoseconds) { return nanoseconds / 32 % 128 == 0; }

}  // namespace stretto::ranks
