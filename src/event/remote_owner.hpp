// remote_owner.hpp - how events of other nodes are reached; absent where there is one node.
//
// The event floor knows nothing of networks: a handle whose node is not the runtime's goes here if something is
// registered, and is refused as foreign (E03) if not.
//
// Threads     all members from any thread of the runtime.
#pragma once

#include "event/waiter.hpp"

namespace stretto {

class remote_owner {
 public:
  enum class state { pending, triggered, poisoned };
  struct known_state {
    remote_owner::state state = state::pending;
    failure_ref cause;  // only if poisoned
  };

  virtual ~remote_owner() = default;

  /// Whether there is such a node in the job; all others require it of their event.
  virtual bool reaches(event) const noexcept { return true; }
  /// What is known here of `e`, at once. Where that is nothing, interest is expressed, so that who asks again and again comes
  /// to know.
  virtual known_state query(event e) = 0;
  /// Says that this node wants to know. Returns at once; the same event may be named many times. A merge names all
  /// its remote inputs first, so that their answers travel at the same time.
  virtual void express_interest(event e) = 0;
  /// Expresses interest and links `w`; false, with `w` untouched, if it is known that `e` has ended.
  virtual bool subscribe(event e, waiter& w, base::thread_context& context) = 0;
  /// Ends `e` at its owner; `cause` null triggers it. Misuse is the owner's to find.
  virtual void forward_end(event e, failure_ref cause, base::thread_context& context,
                           const std::source_location& where) = 0;
};

namespace detail {
/// Registers `owner` (or none) for all handles of other nodes. Before the runtime's threads use events.
void set_remote_owner(base::runtime_context& runtime, remote_owner* owner) noexcept;
}  // namespace detail
}  // namespace stretto
