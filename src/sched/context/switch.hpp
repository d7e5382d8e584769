// switch.hpp - from one stack to another.
//
// Threads     the caller's own stack is saved; the target stack must not be running anywhere.
// Cost        1.8 ns: six registers and a jump. A `ret` would cost a return-stack misprediction, and reloading the
//             floating-point control words (as Boost.Context does) up to 50 ns after any inexact result.
// Invariants  floating-point control words are not per stack: who switches has set the usual ones (running.cpp).
#pragma once

#include <cstddef>

namespace stretto::sched {

/// A suspended stack: what switch_stack saved.
using saved_stack = void*;

/// Leaves the current stack, to be continued by whoever switches to *save, and continues `to`. The stores of
/// the caller are visible to the one who continues it only through the synchronisation that publishes *save.
void switch_stack(saved_stack* save, saved_stack to) noexcept;

/// Prepares the memory [base, base + bytes) so that switching to the result calls entry(), which never returns.
saved_stack prepare_stack(void* base, std::size_t bytes, void (*entry)()) noexcept;

}  // namespace stretto::sched
