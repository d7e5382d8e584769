// thread_stack.hpp - where another thread of this process is, for reports of what does not end.
//
// The thread is interrupted by a signal that is usually ignored (SIGWINCH; SIGURG is taken by `stretto top`), and looks
// at its own stack. If the program has a handler for it, nobody is interrupted and nothing is known.
//
// Threads     any, one at a time. The thread that is asked loses some microseconds; a system call that it sleeps in may
//             return early, as after any signal.
// Source      a signal that disturbs nobody: the Go runtime's preemption, which takes SIGURG.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stretto::base {

/// The return addresses on the stack of thread `number` (gettid), innermost first, and at most `most`. Empty if it
/// cannot be told, or if the thread has not answered within a tenth of a second.
std::vector<const void*> stack_of_thread(int number, std::size_t most = 64);

/// For each, the function where that is known, and what to give to addr2line: "compute(int), program+0x12c4". Reads the
/// files that the program was loaded from.
std::vector<std::string> names_of_code(std::span<const void* const> addresses);

}  // namespace stretto::base
