// holding.hpp - one reservation: whether it is held, alone or by readers, who waits for it, and which releases are to
// be ignored.
//
// Local acquires that wait are event slots, linked by the waiter inside each; requests of other nodes are waiters that
// `dist` provides. Both queues are first in, first out; between them, `fairness` decides. Whoever wants to share waits
// behind those that wait already.
//
// In a job of several nodes, one of them has the reservation, with its payload and what is to be ignored; the others hold
// stand-ins, where acquires wait until it comes. It leaves only while nobody holds it: an exclusive holder is on the
// node that has it, and readers of other nodes are counted there. What happens to it elsewhere is for `dist` to carry
// there (remote_reservation.hpp).
//
// Threads     any; grants are handed out by whoever releases, after the lock is given back.
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

/// A request of another node.
struct remote_acquire : waiter {
  hold how = hold::exclusive;  // alone: it is to leave
};

class reservation_state {
 public:
  /// What to do next, outside the lock: the acquires of both kinds that are granted, linked.
  struct grant {
    waiter* local = nullptr;  // each the `own` of a slot
    waiter* remote = nullptr;
  };
  enum class release_result { given_back, ignored, not_held, elsewhere };
  /// once_it_comes: it waits here, and the reservation is to be asked for. by_message: it does not wait here, and is to
  /// be asked for where the reservation is. never: see gone().
  enum class acquire_result { now, later, after_transfer, by_request, never };
  /// Releases to be ignored, by the failure that made their acquires come to nothing.
  struct skipped {
    failure_ref root;
    std::uint32_t count;
  };

  std::atomic<std::uint32_t> generation{0};  // of object_table

  void start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where);
  /// As a stand-in for what another node has.
  void start_elsewhere();

  bool try_acquire(hold how, const std::source_location& by) noexcept;
  /// Held now, or granted later, by finish(s, null).
  acquire_result acquire(slot& s, hold how) noexcept;
  /// The same of a shared one, but that it waits here if it is away.
  acquire_result acquire_in_line(slot& s) noexcept;
  /// For a reader of another node: now, later by firing `w`, or elsewhere (once_it_comes).
  acquire_result acquire_for(remote_acquire& w) noexcept;
  /// An acquire that never comes about: one release will be ignored. False, with nothing changed, if it is elsewhere.
  bool skip_acquire(const failure& cause);
  /// A release takes effect; `cause` is its precondition's.
  release_result release(const failure* cause, grant& next) noexcept;
  /// The release that belongs to a skipped acquire takes effect. False, with nothing changed, if it is elsewhere.
  bool release_skipped(const failure& cause) noexcept;

  /// Another node is to have it: true if it is away from now on; else `w` is fired when it is. A cause says that it is gone.
  bool leave(remote_acquire& w) noexcept;
  /// Readers of other nodes that wait here, once it is away.
  waiter* take_remote() noexcept;
  /// What goes along, once it is away.
  std::vector<skipped> take_skipped() noexcept;
  /// It comes, with readers that waited where it was: who waits here is served first, then those. Of a stand-in,
  /// room_for_payload() first.
  void move_here(std::uint32_t fairness, const std::source_location& where, std::vector<skipped> along, grant& next,
            waiter* readers = nullptr) noexcept;
  /// As large as what comes; null for none. The same address as payload() has told.
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

  /// Hands out what release decided.
  static void hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept;
  /// Forgets everything; returns the lists of those that waited.
  struct waiting {
    waiter* local;  // each the `own` of a slot
    waiter* remote;
  };
  waiting stop() noexcept;
  /// The same, for good: with that cause, it is never held again.
  waiting stop(failure_ref cause) noexcept;
  failure_ref gone() noexcept {
    const std::scoped_lock lock(lock_);
    return gone_;
  }

  /// Of a stand-in whose reservation has not been here, room for any.
  void* payload() noexcept {
    const std::scoped_lock lock(lock_);
    if (!payload_ && is_unknown_) allocate(most_payload_bytes);
    return payload_.get();
  }
  std::size_t payload_bytes() const noexcept { return payload_bytes_; }
  const std::source_location& where() const noexcept { return where_; }
  /// For reports: where the acquire was called that holds it now; nothing if it is free.
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
  bool is_held() const noexcept { return held_ || readers_; }
  bool can_share() const noexcept { return !held_ && !first_ && !first_remote_; }
  acquire_result acquire_locked(slot& s, hold how) noexcept;
  bool ignore(const failure* root) noexcept;
  void grant_all(grant& next, bool is_local_first) noexcept;
  void allocate(std::size_t bytes);

  base::spin_lock lock_;
  bool held_ = false;  // alone; also while it is elsewhere
  std::uint32_t readers_ = 0;  // of all nodes
  bool is_elsewhere_ = false, is_unknown_ = false;
  failure_ref gone_;
  std::uint32_t fairness_ = 0;
  std::uint32_t preferred_ = 0;  // local grants in a row while another node waited
  waiter* first_ = nullptr;      // local
  waiter* last_ = nullptr;
  waiter* first_remote_ = nullptr;
  waiter* last_remote_ = nullptr;
  std::vector<skipped> skipped_;
  std::size_t payload_bytes_ = 0;
  std::unique_ptr<std::byte, free_payload> payload_;
  std::source_location where_, holder_;
};

}  // namespace stretto::detail
