// thread_identity.hpp - which rank's program runs on a thread: the one variable by which everything of a rank is found.
//
// Threads     any; each thread has its own.
// Cost        a call and a load; for a task that a rank has started, a search of its scope.
#pragma once

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

/// Null on threads of no rank.
const thread_identity* identity_of_thread() noexcept;
/// Must live as long as it is set. Returns that before it.
const thread_identity* set_identity(const thread_identity* one) noexcept;

/// Finds the identity of a task that runs on a thread without one.
using identity_search = const thread_identity* (*)() noexcept;
void set_identity_search(identity_search search) noexcept;

}  // namespace stretto::ranks
