// waiter.hpp - a list node that is linked into an untriggered event and fired once when the event ends.
//
// Threads     the thread that ends the event fires a linked waiter, exactly once. Firing never suspends and never runs
//             user code: it counts down, makes a task ready, triggers the next event.
// Invariants  waiters are aligned to 16 bytes: an event's state word keeps the list's head in 43 bits.
#pragma once

#include <stretto/event.hpp>

#include "base/context.hpp"
#include "event/failure.hpp"

namespace stretto {

struct alignas(16) waiter {
  /// `cause` is null on success and valid during the call only (take a failure_ref to keep it).
  using fire_function = void (*)(waiter& self, const failure* cause, base::thread_context& context) noexcept;

  waiter* next = nullptr;
  fire_function fire = nullptr;
};

namespace detail {

/// Fires a whole list. Nested calls on one thread are queued and run by the outermost, so chains of any length
/// use constant stack. `cause` may be null.
void fire_all(waiter* list, const failure* cause, base::thread_context& context) noexcept;

}  // namespace detail
}  // namespace stretto
