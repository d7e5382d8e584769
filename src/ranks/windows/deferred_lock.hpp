// deferred_lock.hpp - a lock of a target on another node that no message asks for until an access needs it.
//
// The first access is held back, since the rank may unlock next: then lock, access and unlock are one message. Another
// access, a flush, or an access for whose request the program may wait sends the request for the lock with the access
// that was held. Until the reply has come, the rank sends no more accesses. An epoch without accesses sends nothing.
//
// Threads     any thread of the rank. want, end_unsent and steps to unlock: one at a time, as MPI asks of programs.
// Cost        is_pending: one load. At most one message, of short_access_bytes, is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <vector>

#include "base/spin_lock.hpp"
#include "ranks/windows/access_message.hpp"

namespace stretto::ranks {

class deferred_lock {
 public:
  /// `accesses`: the numbers of messages to that rank.
  deferred_lock(const window_channel& channel, int rank, std::atomic<std::int64_t>& accesses)
      : channel_(channel), rank_(rank), accesses_(accesses) {}

  /// Whether the rank does not have the lock yet that it wants.
  bool is_pending() const { return is_pending_.load(std::memory_order_acquire); }

  void want(lock_mode mode);
  /// Takes the message of a short access, and holds it or, if the program waits for it, sends it with the request for
  /// the lock. False: the lock has been asked for already, or an access is held.
  bool pass(std::vector<std::byte>& message, bool is_waited_for);
  /// Asks for the lock, unless that is done, and suspends the rank until it has it.
  void acquire(const std::source_location& where);

  /// Sends the access that is held, if any, as one that takes the lock first and does `more_steps` after it. Returns
  /// the reply to the steps, which goes to `error`; null if they ask for none.
  std::optional<request_owner> send_held(int more_steps, std::int64_t& error);
  /// The access that is held has a reply of its own.
  bool holds_access_with_result();
  /// No access was begun under the lock.
  bool is_unsent();
  /// Ends the epoch if no access was begun; else false.
  bool end_unsent();

 private:
  request_owner ask();
  std::vector<std::byte> locked_message(int more_steps);
  request_owner receive_reply(const std::vector<std::byte>& message, std::int64_t& error);
  void set_granted(const request& reply);

  const window_channel& channel_;
  const int rank_;
  std::atomic<std::int64_t>& accesses_;
  std::atomic<bool> is_pending_ = false;
  base::spin_lock guard_;            // guards what follows
  std::optional<lock_mode> wanted_;  // that no message has asked for
  std::optional<std::vector<std::byte>> held_;
  request_owner grant_;           // the reply that shows that the rank has the lock; null: none is awaited
  std::int64_t grant_error_ = 0;  // where the reply goes; always success
};

}  // namespace stretto::ranks
