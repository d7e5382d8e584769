// remote_owner.hpp - the interface to events of other nodes; absent if there is only one node.
//
// The event floor knows nothing of networks. It passes a handle of another node to the registered remote_owner, and
// refuses the handle with E03 if none is registered.
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

  /// Whether the event's node is in the job; all other members require that.
  virtual bool reaches(event) const noexcept { return true; }
  /// The state of `e` as known here, at once. If it is unknown, the query also subscribes, so that a later query finds
  /// the reply.
  virtual known_state query(event e) = 0;
  /// Subscribes this node to the end of `e`. Returns at once, and may be called many times for one event. A merge calls
  /// it for all its remote inputs first, so that their replies travel at the same time.
  virtual void express_interest(event e) = 0;
  /// Subscribes and links `w`; false, with `w` untouched, if this node knows that `e` has ended.
  virtual bool subscribe(event e, waiter& w, base::thread_context& context) = 0;
  /// Ends `e` at its owner; a null `cause` triggers it. The owner detects misuse.
  virtual void forward_end(event e, failure_ref cause, base::thread_context& context,
                           const std::source_location& where) = 0;
};

namespace detail {
/// Registers `owner` (or none) for all handles of other nodes. Before the runtime's threads use events.
void set_remote_owner(base::runtime_context& runtime, remote_owner* owner) noexcept;
}  // namespace detail
}  // namespace stretto
