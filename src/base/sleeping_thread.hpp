// sleeping_thread.hpp - the system call in which another thread of this process sleeps, and who has called it.
//
// Nothing interrupts the thread. A signal would end some system calls early, such as nanosleep and poll, whether or not
// its handler asks for a restart.
//
// Threads     any. The thread may wake at any time: the result is a guess about a moment that is over.
// Cost        read_sleep, used_by_thread: some system calls. return_addresses: some hundred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stretto::base {

/// Where a thread sleeps.
struct thread_sleep {
  bool is_restarted = false;  // after a signal whose handler has SA_RESTART, the kernel continues the call
  std::uintptr_t stack_pointer = 0;
  const void* code = nullptr;  // the instruction behind the system call
  bool operator==(const thread_sleep&) const = default;
};

/// None if thread `number` (gettid) runs, waits for a core, or does not belong to this process, or if the system does
/// not say.
std::optional<thread_sleep> read_sleep(int number);

/// The processor time that the thread has used, in nanoseconds; none if it has ended.
std::optional<std::uint64_t> used_by_thread(int number);

/// The addresses to which the functions on the stack return, innermost first, and at most `most`. The stack
/// is searched for addresses that follow a call in the code, so some may be left over from functions that have
/// returned. Empty on processors whose calls this does not know.
std::vector<const void*> return_addresses(const thread_sleep& of, std::size_t most);

}  // namespace stretto::base
