// access_epochs.hpp - in which epochs a rank is on its window: which targets it may access, and which calls may follow.
//
// Threads     the rank's; threads of it may access targets at once.
// Cost        check_access: two loads.
// Errors      call_error(rma_sync): the call does not fit the epochs.
// Source      MPI 4.1, section 12.5.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/windows/window_lock.hpp"

namespace stretto::ranks {

/// By what a rank may access a target.
enum class epoch_kind : std::uint8_t { none, fence, started, shared_lock, exclusive_lock };

class access_epochs {
 public:
  explicit access_epochs(int size) : targets_(static_cast<std::size_t>(size), access::none) {}

  /// Throws unless the target may be accessed now.
  void check_access(int target);
  /// After check_access.
  epoch_kind kind_of_epoch(int target) const;
  /// The target must be locked by this rank, alone or with all others.
  void check_locked(int target) const;
  void check_any_locked() const;
  /// No epoch is open in which the rank accesses or exposes memory: the window may be freed.
  void check_closed() const;

  enum class succession : std::uint8_t { more_accesses, no_accesses };
  void check_fence() const { check_closed(); }
  /// The end of a fence, after which accesses may follow.
  void pass_fence(succession what);

  void check_start() const;
  void start(std::span<const int> targets);
  /// Ends the access epoch that start() began; returns its targets.
  std::vector<int> complete();

  void check_post() const;
  void post() { is_exposed_ = true; }
  void check_exposed() const;
  void end_exposure() { is_exposed_ = false; }

  void check_lock(int target) const;
  void lock(int target, lock_mode mode);
  bool has_locks() const { return locks_.load(std::memory_order_relaxed) > 0; }
  bool is_locked(int target) const { return state_of(target) > access::started; }
  /// Throws unless lock(target) was called.
  void unlock(int target);
  void check_lock_all() const;
  void lock_all() { all_locked_ = true; }
  /// Throws unless lock_all() was called.
  void unlock_all();

 private:
  enum class access : std::uint8_t { none, started, locked, locked_exclusively };
  /// A fence may begin an epoch or not: that is known once an access follows.
  enum class fence_state : std::uint8_t { none, passed, used };

  access state_of(int target) const { return targets_[static_cast<std::size_t>(target)]; }
  /// Whether accesses since a fence wait for the next one.
  bool is_in_epoch_of_fence() const { return fence_.load(std::memory_order_relaxed) == fence_state::used; }
  void check_no_fence(const char* call) const;

  std::vector<access> targets_;
  std::vector<int> started_;
  std::atomic<fence_state> fence_ = fence_state::none;
  std::atomic<int> locks_ = 0;  // threads may lock different targets at once
  bool is_started_ = false;
  bool is_exposed_ = false;
  bool all_locked_ = false;
};

}  // namespace stretto::ranks
