// deque.hpp - one worker's tasks at one place: the owner works at one end, thieves steal batches at the other.
//
//        head        shared           tail
//     ----|-- public --|--- private ----|
//
// The owner pushes and pops its private part without a lock, a fence instruction or a read-modify-write. Thieves take
// items from the public part under a lock. A thief that finds the public part empty leaves a steal request, even if the
// deque is empty. The request stays: at each of its next pushes and pops the owner publishes everything but the newest
// item, which it is about to run. Tasks that one task makes ready are thus offered to thieves before the owner goes on.
// The owner counts its replies and withdraws the request after some.
//
// An owner whose task is long neither pushes nor pops. Only then does a thief force a steal: it claims a batch of the
// private part and executes a heavy fence on behalf of both sides. Afterwards either the thief has seen the owner's
// latest pop, or the owner sees the claim and resolves the conflict under the lock.
//
// Threads     push, pop, pop_if, publish, grow: the owner. The rest: any thread.
// Cost        push, pop: a few instructions; while a request stands, a lock if there is something to publish.
//             take_offered: a lock per batch. force_steal: the same and a heavy fence.
// Invariants  (1) an item leaves exactly once. (2) slots are reused only after the thief has copied them out.
//             (3) head <= shared <= limit; items before `shared` are taken under the lock only.
// Source      the THE protocol of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998) with asymmetric fences and batches;
//             the moving split: van Dijk and van de Pol, "Lace", MuCoCoS 2014.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/asymmetric_fence.hpp"
#include "base/config.hpp"
#include "base/spin_lock.hpp"

namespace stretto::sched {

/// An entry of a queue: a task that has not started, or (lowest bit set) a suspension to resume. 0 means none.
using item = std::uintptr_t;

class alignas(base::cache_line) deque {
 public:
  explicit deque(std::size_t capacity = 256)
      : capacity_(capacity), mask_(capacity - 1), slots_(new std::atomic<item>[capacity]) {}
  deque(const deque&) = delete;

  void push(item i) {
    if (!try_push(i) && !push_unless_full(i)) [[unlikely]] {
      grow();
      push_unless_full(i);
    }
  }

  /// The common case, inlined: false if the deque may be full or a steal request stands.
  bool try_push(item i) noexcept {
    const auto t = tail_.load(std::memory_order_relaxed);
    if (t - freed_seen_ >= static_cast<std::int64_t>(capacity_) || is_steal_requested()) [[unlikely]]
      return false;
    slots_[static_cast<std::size_t>(t) & mask_].store(i, std::memory_order_relaxed);
    tail_.store(t + 1, std::memory_order_release);
    return true;
  }
  /// False if the deque is full: the owner then grows it, or first runs some of its items.
  bool push_unless_full(item i) noexcept;
  void grow();
  std::size_t capacity() const noexcept { return capacity_; }

  /// The newest item, or 0.
  item pop() {
    const auto t = tail_.load(std::memory_order_relaxed) - 1;
    if (t < limit_.load(std::memory_order_relaxed)) return pop_public(t);
    const item i = slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
    tail_.store(t, std::memory_order_relaxed);
    base::asymmetric::light();
    if (limit_.load(std::memory_order_acquire) <= t) [[likely]]
      return i;
    tail_.store(t + 1, std::memory_order_relaxed);
    return pop_public(t);
  }

  /// Removes the newest item if it is `expected`.
  bool pop_if(item expected) {
    const auto t = tail_.load(std::memory_order_relaxed) - 1;
    // The slot may hold a leftover; then limit_ is beyond it.
    if (slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed) != expected) return false;
    if (t >= limit_.load(std::memory_order_relaxed)) [[likely]] {
      tail_.store(t, std::memory_order_relaxed);
      base::asymmetric::light();
      if (limit_.load(std::memory_order_acquire) <= t) [[likely]]
        return true;
      tail_.store(t + 1, std::memory_order_relaxed);
    }
    return pop_public(t);
  }

  std::int64_t size() const noexcept {
    return tail_.load(std::memory_order_acquire) - head_.load(std::memory_order_acquire);
  }

  /// A thief can take an item at once.
  bool has_public() const noexcept {
    return head_.load(std::memory_order_relaxed) < shared_.load(std::memory_order_relaxed);
  }
  /// Takes up to half of the public items, oldest first, at most `most`; returns how many. None if another thread holds
  /// the lock. Taking more than one withdraws the steal request.
  std::size_t take_offered(item* out, std::size_t most) noexcept;
  /// From now on the owner publishes all but the newest item, until it has replied often enough.
  void request_steal() noexcept { limit_.store(steal_requested, std::memory_order_relaxed); }
  /// False once the owner has replied often enough.
  bool is_steal_requested() const noexcept { return limit_.load(std::memory_order_relaxed) == steal_requested; }
  /// Two different readings show that the owner has pushed or popped while a request stood.
  std::uint32_t steal_replies() const noexcept { return steal_replies_.load(std::memory_order_relaxed); }
  /// The owner publishes the older half, even a single item, whether or not a request stands.
  void publish() noexcept;
  /// As take_offered(), but from the private part if the public part is empty: for an owner that neither pushes nor
  /// pops.
  std::size_t force_steal(item* out, std::size_t most) noexcept;

 private:
  static constexpr std::int64_t steal_requested = std::numeric_limits<std::int64_t>::max();

  /// After so many replies the owner withdraws the request; a reply that publishes nothing counts as four.
  static constexpr std::uint32_t enough_replies = 32;

  item pop_public(std::int64_t t) noexcept;
  item pop_while_requested(std::int64_t t) noexcept;
  void reply_to_steal(std::int64_t until) noexcept;
  bool keeps_request(bool publishes_nothing) noexcept;
  std::size_t take_locked(item* out, std::size_t most) noexcept;

  // written by the owner
  std::atomic<std::int64_t> tail_{0};
  std::int64_t freed_seen_ = 0;
  std::size_t capacity_, mask_;
  std::unique_ptr<std::atomic<item>[]> slots_;  // replaced under the lock only
  std::atomic<std::uint32_t> steal_replies_{0};
  std::uint32_t reply_weight_ = 0;  // of replies since a request was last withdrawn
  // Written by both. The owner compares with it instead of shared_: it is never less. The value `steal_requested` sends
  // the owner to shared_.
  std::atomic<std::int64_t> limit_{0};
  // written under the lock
  alignas(base::cache_line) std::atomic<std::int64_t> head_{0};
  std::atomic<std::int64_t> shared_{0};
  base::spin_lock lock_;
};

}  // namespace stretto::sched
