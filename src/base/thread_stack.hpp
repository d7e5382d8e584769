// thread_stack.hpp - the call stack of another thread of this process, for hang reports.
//
// A signal that is ignored by default (SIGWINCH; `stretto top` uses SIGURG) interrupts the thread, which then walks its
// own stack. If the program handles that signal, no thread is interrupted and the stack is unknown.
//
// Threads     any, one at a time. The interrupted thread loses some microseconds; a system call in which it sleeps may
//             return early, as after any signal.
// Source      a signal that disturbs nobody: the Go runtime's preemption, which takes SIGURG.
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
