// remote_reservation.hpp - the interface to reservations that other nodes made, and to those that have moved to other
// nodes. `dist` implements it.
//
// Each node has a reservation_state for every reservation that it uses: the node that made it in its table, the others
// as stand-ins. At any time one node has the reservation. Operations of the other nodes take effect there.
//
// Threads     all members from any thread of the runtime.
#pragma once

#include <source_location>

#include "event/object_ids.hpp"
#include "event/reservation_state.hpp"

namespace stretto {

class remote_reservations {
 public:
  virtual ~remote_reservations() = default;

  /// The stand-in for a reservation of another node; null if there is no such node in the job.
  virtual detail::reservation_state* find(detail::reservation_id id) = 0;
  /// Requests that the node that has the reservation transfers it to this node, for an acquire that waits here.
  virtual void want(detail::reservation_id id, base::thread_context& context) = 0;

  /// Sends a shared acquire to the node that has the reservation, which grants it. Requires that no acquire waits here.
  virtual void acquire_shared(detail::reservation_id id, detail::slot& s, base::thread_context& context) = 0;

  /// Applies a release, a failed acquire, or the release of a failed acquire on the node that has the reservation. Ends
  /// the event of `s` when that is done; poisoned with the cause of the acquire, or with E31.
  virtual void release(detail::reservation_id id, const failure* cause, detail::slot& s, base::thread_context& context,
                       const std::source_location& where) = 0;
  virtual void skip_acquire(detail::reservation_id id, const failure& cause, detail::slot& s,
                            base::thread_context& context) = 0;
  virtual void release_skipped(detail::reservation_id id, const failure& cause, detail::slot& s,
                               base::thread_context& context) = 0;

  /// Destroys a reservation of another node.
  virtual void destroy(detail::reservation_id id, base::thread_context& context, const std::source_location& where) = 0;
  /// A reservation of this node was destroyed: notifies the other nodes.
  virtual void destroyed(detail::reservation_id id, const failure_ref& why) = 0;
};

namespace detail {

/// Registers `others` for all handles of other nodes. Before the runtime's threads use reservations.
void set_remote_reservations(base::runtime_context& runtime, remote_reservations* others) noexcept;

/// The state of a reservation that was made here; null if it has been destroyed.
reservation_state* find_reservation(reservation_id id, event_table& table) noexcept;
/// Destroys a reservation that was made here; false if it has been destroyed already.
bool destroy_reservation(reservation_id id, base::thread_context& context, const std::source_location& where);
/// The failure E31 of a release that took effect while nothing was held.
failure_ref released_unheld(reservation_id id, const std::source_location& created, const std::source_location& where);
/// The failure E32 of an acquire that would take effect after the reservation was destroyed.
failure_ref gone_before(reservation_id id, const std::source_location& where);
/// The node that made the reservation, from the bits of its id.
std::uint16_t home_of_reservation(reservation_id id) noexcept;
/// Fails the waiting acquires and requests with the cause `why`.
void fail_waiters(const reservation_state::waiting& left, const failure_ref& why,
                  base::thread_context& context) noexcept;

}  // namespace detail
}  // namespace stretto
