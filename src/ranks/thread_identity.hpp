// thread_identity.hpp - which rank's program runs on a thread: the one variable by which everything of a rank is found.
//
// Threads     any; each thread has its own.
// Cost        two loads; for a task that a rank has started, a search of its scope.
#pragma once

#include "base/config.hpp"

namespace stretto::ranks {

class program_copy;
class rank;
struct rank_state;

/// The parts of a rank; a copy of a program that runs alone, or a test, has only a part of it.
struct thread_identity {
  program_copy* copy = nullptr;
  rank_state* state = nullptr;
  rank* whole = nullptr;
};

const thread_identity* read_stored_identity() noexcept;
/// The identity that set_identity has stored. It is read anew every time: a compiler that knew it as a thread-local
/// might keep its address across a suspension, after which the code may run on another thread.
inline const thread_identity* stored_identity() noexcept {
  if constexpr (base::x86_64) {
    const thread_identity* one;
    asm volatile("movq stretto_thread_identity@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(one) : : "memory");
    return one;
  } else {
    return read_stored_identity();
  }
}
/// That of the rank to which the running task belongs; null outside of tasks of ranks.
const thread_identity* identity_of_task() noexcept;

/// Null on threads of no rank.
inline const thread_identity* identity_of_thread() noexcept {
  const thread_identity* const one = stored_identity();
  return one ? one : identity_of_task();
}
/// Must live as long as it is set. Returns that before it.
const thread_identity* set_identity(const thread_identity* one) noexcept;

/// Finds the identity of a task that runs on a thread without one.
using identity_search = const thread_identity* (*)() noexcept;
void set_identity_search(identity_search search) noexcept;

}  // namespace stretto::ranks
