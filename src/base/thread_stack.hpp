// thread_stack.hpp - the call stack of another thread of this process, for hang reports.
//
// The caller sends SIGWINCH to the thread. Its handler walks the stack of the thread. SIGWINCH is ignored by default,
// and `stretto top` uses SIGURG. If the program handles SIGWINCH itself, no signal is sent and the stack is unknown.
//
// Threads     any; a lock admits one at a time. The interrupted thread is delayed by some microseconds. A system call
//             in which it sleeps may return early, as after any signal.
// Source      a signal that programs seldom use: the Go runtime preempts threads with SIGURG.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stretto::base {

/// The return addresses on the stack of thread `number` (gettid), innermost first, and at most `most`. Empty if it
/// is unknown, or if the thread has not replied within a tenth of a second.
std::vector<const void*> stack_of_thread(int number, std::size_t most = 64);

/// For each address the function, if it is known, and the argument for addr2line: "compute(int), program+0x12c4". Reads
/// the program's files.
std::vector<std::string> names_of_code(std::span<const void* const> addresses);

}  // namespace stretto::base
