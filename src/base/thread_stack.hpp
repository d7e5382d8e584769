// thread_stack.hpp - the call stack of another thread of this process, for hang reports.
//
// A signal would end a sleep in the kernel early, so a thread that sleeps gets none: its stack is searched for return
// addresses (sleeping_thread.hpp). To any other thread the caller sends SIGWINCH, whose handler walks the stack of the
// thread, and so to one in a system call that the kernel continues afterwards. SIGWINCH is ignored by default, and
// `stretto top` uses SIGURG. If the program handles SIGWINCH itself, no signal is sent and that stack is unknown.
//
// Threads     any; a lock admits one at a time. The interrupted thread is delayed by some microseconds.
// Source      a signal that programs seldom use: the Go runtime preempts threads with SIGURG.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stretto::base {

struct thread_sleep;

/// The return addresses on the stack of thread `number` (gettid), innermost first, and at most `most`. Empty if it
/// is unknown, or if the thread has not replied within a tenth of a second.
std::vector<const void*> stack_of_thread(int number, std::size_t most = 64);

/// For each address the function, if it is known, and the argument for addr2line: "compute(int), program+0x12c4". Reads
/// the program's files.
std::vector<std::string> names_of_code(std::span<const void* const> addresses);

/// The function of the C library that makes the system call: "read".
std::string name_of_call(const thread_sleep& of);

}  // namespace stretto::base
