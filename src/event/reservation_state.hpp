// reservation_state.hpp - the state of one reservation: its holders, its queues of waiters, and the number of releases
// that it ignores because their acquires failed.
//
// Waiting local acquires are event slots, linked by the waiter inside each; requests of other nodes are waiters that
// `dist` provides. Both queues are first in, first out; between the two, `fairness` decides. A shared acquire queues
// behind all acquires that wait already.
//
// In a job, one node has the reservation, with its payload and the releases to be ignored. The other nodes have
// stand-ins, in which acquires wait until the reservation arrives. It moves only while it is free: an exclusive holder
// is always on the node that has it, and that node counts the readers of all nodes. `dist` forwards operations to the
// node that has it (remote_reservation.hpp).
//
// Threads     any. A thread that releases the reservation fires the granted acquires without the lock.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/spin_lock.hpp"
#include "event/event_table.hpp"

namespace stretto::detail {

/// How a reservation is held.
enum class hold : std::uint8_t { exclusive, shared };

/// An acquire of another node.
struct remote_acquire : waiter {
  hold how = hold::exclusive;  // exclusive: the reservation must move to that node
};

class reservation_state {
 public:
  /// The acquires of both kinds that are granted, linked; the caller fires them without the lock.
  struct grant {
    waiter* local = nullptr;  // each the `own` of a slot
    waiter* remote = nullptr;
  };
  enum class release_result { given_back, ignored, not_held, elsewhere };
  /// now: held. later: queued here. after_transfer: queued here; the caller must request the reservation. by_request:
  /// not queued; the caller must ask the node that has the reservation. never: see gone().
  enum class acquire_result { now, later, after_transfer, by_request, never };
  /// The number of releases to ignore because their acquires failed with this root cause.
  struct skipped {
    failure_ref root;
    std::uint32_t count;
  };

  std::atomic<std::uint32_t> generation{0};  // of object_table

  void start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where);
  /// Starts as a stand-in for a reservation that another node has.
  void start_elsewhere();

  bool try_acquire(hold how, const std::source_location& by) noexcept;
  /// Acquires now, or queues `s`, which finish(s, null) grants later.
  acquire_result acquire(slot& s, hold how) noexcept;
  /// As acquire(s, shared), but it queues here if another node has the reservation.
  acquire_result acquire_in_line(slot& s) noexcept;
  /// A shared acquire of another node: now; later, by firing `w`; or after_transfer, if another node has the
  /// reservation.
  acquire_result acquire_for(remote_acquire& w) noexcept;
  /// An acquire has failed: one release will be ignored. False, with nothing changed, if another node has the
  /// reservation.
  bool skip_acquire(const failure& cause);
  /// Applies a release; `cause` is the failure of its precondition, or null.
  release_result release(const failure* cause, grant& next) noexcept;
  /// Applies the release that belongs to a failed acquire. False, with nothing changed, if another node has the
  /// reservation.
  bool release_skipped(const failure& cause) noexcept;

  /// Gives the reservation up for another node. Returns true if it was free. Otherwise queues `w`, which is fired when
  /// the reservation may leave, with a cause if it was destroyed.
  bool leave(remote_acquire& w) noexcept;
  /// Removes the waiting readers of other nodes, after the reservation has left.
  waiter* take_remote() noexcept;
  /// Removes the releases to be ignored, which move along, after the reservation has left.
  std::vector<skipped> take_skipped() noexcept;
  /// The reservation arrives, with readers that waited where it was. The first local waiter is served first. In a
  /// stand-in, call payload_buffer() before.
  void move_here(std::uint32_t fairness, const std::source_location& where, std::vector<skipped> along, grant& next,
                 waiter* readers = nullptr) noexcept;
  /// A buffer for an arriving payload of `bytes`; null if that is 0. Same address as payload() returned.
  void* payload_buffer(std::size_t bytes);
  bool is_elsewhere() noexcept {
    const std::scoped_lock lock(lock_);
    return is_elsewhere_;
  }
  bool has_local_waiters() noexcept {
    const std::scoped_lock lock(lock_);
    return first_ != nullptr;
  }
  std::uint32_t fairness() noexcept {
    const std::scoped_lock lock(lock_);
    return fairness_;
  }

  /// Fires the acquires that release() granted.
  static void hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept;
  /// Forgets everything; returns the lists of waiters.
  struct waiting {
    waiter* local;  // each the `own` of a slot
    waiter* remote;
  };
  waiting stop() noexcept;
  /// The same, for good: later acquires fail with that cause.
  waiting stop(failure_ref cause) noexcept;
  failure_ref gone() noexcept {
    const std::scoped_lock lock(lock_);
    return gone_;
  }

  /// The payload. In a stand-in whose reservation has never been here, a buffer that is large enough for any.
  void* payload() noexcept {
    const std::scoped_lock lock(lock_);
    if (!payload_ && is_unknown_) allocate(most_payload_bytes);
    return payload_.get();
  }
  std::size_t payload_bytes() const noexcept { return payload_bytes_; }
  const std::source_location& where() const noexcept { return where_; }
  /// For reports: the line of the latest acquire that holds it now; nothing if it is free.
  std::optional<std::source_location> holder() noexcept {
    const std::scoped_lock lock(lock_);
    return is_held() ? std::optional(holder_) : std::nullopt;
  }

 private:
  static constexpr std::size_t most_payload_bytes = 4096;
  struct free_payload {
    void operator()(std::byte* p) const noexcept;
  };
  // These require the lock.
  bool is_held() const noexcept { return is_exclusive_ || readers_; }
  bool can_share() const noexcept { return !is_exclusive_ && !first_ && !first_remote_; }
  acquire_result acquire_locked(slot& s, hold how) noexcept;
  bool consume_skipped(const failure* root) noexcept;
  void grant_all(grant& next, bool is_local_first) noexcept;
  void allocate(std::size_t bytes);

  base::spin_lock lock_;
  bool is_exclusive_ = false;  // held exclusively, or another node has the reservation
  std::uint32_t readers_ = 0;  // of all nodes
  bool is_elsewhere_ = false, is_unknown_ = false;
  failure_ref gone_;
  std::uint32_t fairness_ = 0;
  std::uint32_t local_grants_in_row_ = 0;  // while another node waited
  waiter* first_ = nullptr;                // local
  waiter* last_ = nullptr;
  waiter* first_remote_ = nullptr;
  waiter* last_remote_ = nullptr;
  std::vector<skipped> skipped_;
  std::size_t payload_bytes_ = 0;
  std::unique_ptr<std::byte, free_payload> payload_;
  std::source_location where_, holder_;
};

}  // namespace stretto::detail
