// deque.hpp - one worker's tasks at one place: the owner at one end, thieves at the other, in batches.
//
// The owner pushes and pops without a lock, a fence or a read-modify-write. A thief locks out other thieves, claims
// a batch by advancing the head, then pays for both sides with a heavy fence: after it, either the thief has seen
// the owner's latest pop or the owner sees the claim and settles the matter under the lock.
//
// Threads     push, pop, bottom: the owner. steal, size: any thread.
// Cost        push, pop: a few instructions. steal: one heavy fence per batch of up to half the tasks.
// Invariants  (1) an item leaves exactly once. (2) slots are reused only after the thief has copied them out.
// Source      the THE protocol of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998), with asymmetric fences and batches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/asymmetric_fence.hpp"
#include "base/config.hpp"
#include "base/spin_lock.hpp"

namespace stretto::sched {

/// What stands in a queue: a task that has not started, or (lowest bit set) a suspension to resume. 0 is nothing.
using item = std::uintptr_t;

class alignas(base::cache_line) deque {
 public:
  explicit deque(std::size_t capacity = 256)
      : capacity_(capacity), mask_(capacity - 1), slots_(new std::atomic<item>[capacity]) {}
  deque(const deque&) = delete;

  void push(item i) {
    if (!try_push(i)) [[unlikely]] {
      grow();
      try_push(i);
    }
  }

  /// False if it is full: the owner then grows it, or first runs some of what is here.
  bool try_push(item i) {
    const auto t = tail_.load(std::memory_order_relaxed);
    if (t - freed_seen_ >= static_cast<std::int64_t>(capacity_)) [[unlikely]] {
      freed_seen_ = freed_.load(std::memory_order_acquire);
      if (t - freed_seen_ >= static_cast<std::int64_t>(capacity_)) return false;
    }
    slots_[static_cast<std::size_t>(t) & mask_].store(i, std::memory_order_relaxed);
    pushes_.store(pushes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    tail_.store(t + 1, std::memory_order_release);
    return true;
  }
  void grow();
  std::size_t capacity() const noexcept { return capacity_; }

  /// The newest item, or 0. May be 0 while a thief that claimed too much is giving the rest back.
  item pop() {
    const auto t = tail_.load(std::memory_order_relaxed) - 1;
    if (t < head_.load(std::memory_order_relaxed)) return 0;
    const item i = slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
    tail_.store(t, std::memory_order_relaxed);
    base::asymmetric::light();
    if (head_.load(std::memory_order_acquire) <= t) [[likely]]
      return i;
    return settle(t);
  }

  /// The newest item without taking it, or 0; it may be stolen at any moment.
  item bottom() const noexcept {
    const auto t = tail_.load(std::memory_order_relaxed) - 1;
    return t < head_.load(std::memory_order_relaxed)
               ? 0
               : slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
  }

  std::int64_t size() const noexcept {
    return tail_.load(std::memory_order_acquire) - head_.load(std::memory_order_acquire);
  }
  /// Grows with every push: two equal readings say that what is here has been left alone.
  std::uint64_t pushes() const noexcept { return pushes_.load(std::memory_order_relaxed); }

  /// Takes up to half of the items, oldest first, at most `most`; returns how many. None if another thief is here.
  std::size_t steal(item* out, std::size_t most);

 private:
  item settle(std::int64_t t);

  // written by the owner
  std::atomic<std::int64_t> tail_{0};
  std::atomic<std::uint64_t> pushes_{0};
  std::int64_t freed_seen_ = 0;
  std::size_t capacity_, mask_;
  std::unique_ptr<std::atomic<item>[]> slots_;  // replaced under the lock only
  // written by thieves
  alignas(base::cache_line) std::atomic<std::int64_t> head_{0};
  std::atomic<std::int64_t> freed_{0};  // slots before it have been copied out
  base::spin_lock lock_;
};

}  // namespace stretto::sched
