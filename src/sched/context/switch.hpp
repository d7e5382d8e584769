// switch.hpp - switches from one stack to another.
//
// Threads     any; the target stack must not be running on a thread.
// Cost        1.8 ns: six registers and a jump. A `ret` would cost a return-stack misprediction, and reloading the
//             floating-point control words (as Boost.Context does) up to 50 ns after any inexact result.
// Invariants  floating-point control words are not per stack: the caller has set the usual ones (task_execution.cpp).
#pragma once

#include <cstddef>

namespace stretto::sched {

/// A suspended stack: what switch_stack saved.
using saved_stack = void*;

/// Saves the current stack in *save and continues `to`. The saved stack continues when a thread switches to *save. The
/// caller's stores are visible to that thread only through the synchronisation that publishes *save.
void switch_stack(saved_stack* save, saved_stack to) noexcept;

/// Prepares the memory [base, base + bytes) so that switching to the result calls entry(), which never returns.
saved_stack prepare_stack(void* base, std::size_t bytes, void (*entry)()) noexcept;

}  // namespace stretto::sched
