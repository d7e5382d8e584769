// remote_reservation.hpp - how reservations of other nodes are reached, and what happens to those of this one elsewhere.
//
// Each node has a holding for every reservation that it uses: the one of the table where it was made, stand-ins on the others.
// One of them has the reservation; what another is asked for takes effect there.
//
// Threads     all members from any thread of the runtime.
#pragma once

#include <source_location>

#include "event/reservation_state.hpp"

namespace stretto {

class remote_reservations {
 public:
  virtual ~remote_reservations() = default;

  /// The stand-in for a reservation of another node; null if there is no such node in the job.
  virtual detail::reservation_state* find(std::uint64_t id) = 0;
  /// Somebody here waits for it, or would have it, while it is on another node.
  virtual void want(std::uint64_t id, base::thread_context& context) = 0;

  /// A shared acquire on a node that does not have it, where nobody waits for it: granted where the reservation is.
  virtual void acquire_shared(std::uint64_t id, detail::slot& s, base::thread_context& context) = 0;

  /// A release, an acquire that came to nothing, and the release that belongs to such a one: where the reservation is. The
  /// event of `s` ends when that is done; poisoned with the cause of an acquire, or with E31.
  virtual void release(std::uint64_t id, const failure* cause, detail::slot& s, base::thread_context& context,
                       const std::source_location& where) = 0;
  virtual void skip_acquire(std::uint64_t id, const failure& cause, detail::slot& s, base::thread_context& context) = 0;
  virtual void release_skipped(std::uint64_t id, const failure& cause, detail::slot& s, base::thread_context& context) = 0;

  /// One of another node is to be destroyed.
  virtual void destroy(std::uint64_t id, base::thread_context& context, const std::source_location& where) = 0;
  /// One of this node was: other nodes are told, and why.
  virtual void destroyed(std::uint64_t id, const failure_ref& why) = 0;
};

namespace detail {

/// Registers `others` for all handles of other nodes. Before the runtime's threads use reservations.
void set_remote_reservations(base::runtime_context& runtime, remote_reservations* others) noexcept;

/// The holding of a reservation that was made here; null if it is gone.
reservation_state* find_reservation(std::uint64_t id, event_table& table) noexcept;
/// reservation::destroy of one that was made here; false if it is gone.
bool destroy_reservation(std::uint64_t id, base::thread_context& context, const std::source_location& where);
/// E31 for a release that took effect where nothing was held.
failure_ref released_unheld(std::uint64_t id, const std::source_location& created, const std::source_location& where);
/// E32 for what was to happen after it was destroyed.
failure_ref gone_before(std::uint64_t id, const std::source_location& where);
/// The bits of an identity of a reservation that say where it was made.
std::uint16_t home_of_reservation(std::uint64_t id) noexcept;
/// Tells those that waited why they wait no more.
void fail_waiters(const reservation_state::waiting& left, const failure_ref& why, base::thread_context& context) noexcept;

}  // namespace detail
}  // namespace stretto
