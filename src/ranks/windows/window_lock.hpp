// window_lock.hpp - the lock of a target: shared by ranks that read and accumulate, or exclusive, in order of arrival.
//
// Threads     any. A rank that waits is suspended; the thread that unlocks gives the lock to those that come next.
//             holders: reports of hangs, while no rank runs.
// Cost        a free lock: one spin lock, no heap.
// Invariants  (1) a request that comes while others wait waits behind them, so that shared locks cannot keep an
//             exclusive one waiting for ever. (2) several waiting shared requests that follow one another get the lock
//             at once. (3) one thread at a time ends requests: what one of them does may release the lock again,
//             without a call within the call.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/spin_lock.hpp"
#include "ranks/communicators/group.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

enum class lock_mode : std::uint8_t { shared, exclusive };

class window_lock;

/// A wait for a lock, on the stack of the call or with an access of a rank of another node.
struct lock_request final : request {
  lock_request(lock_mode how, world_rank who) noexcept;

  const lock_mode mode;
  const world_rank rank;
  const window_lock* of = nullptr;  // from the call to acquire it on
};

class window_lock {
 public:
  /// The request is active afterwards, and done once it has the lock.
  void acquire(lock_request& r);
  /// By the rank that has it.
  void release(world_rank rank);
  /// Ranks that have it.
  const std::vector<world_rank>& holders() const { return holders_; }

 private:
  bool is_free_for(lock_mode mode) const {
    return mode == lock_mode::shared ? !is_exclusive_ : !is_exclusive_ && holders_.empty();
  }
  void give_to(const lock_request& r) {
    holders_.push_back(r.rank);
    is_exclusive_ = r.mode == lock_mode::exclusive;
  }

  lock_request* next_granted();

  base::spin_lock guard_;
  std::deque<lock_request*> waiting_;
  std::deque<lock_request*> granted_;  // that are to be ended
  bool is_granting_ = false;           // a thread ends them
  std::vector<world_rank> holders_;
  bool is_exclusive_ = false;
};

}  // namespace stretto::ranks
