// deque.hpp - one worker's tasks at one place: the owner at one end, thieves at the other, in batches.
//
//        head        shared           tail
//     ----|-- public --|--- private ----|
//
// The owner pushes and pops its private part without a lock, a fence or a read-modify-write. Thieves take from the
// public part under a lock. A thief that finds nothing there asks, even where there is nothing at all, and the
// question stands: at its next pushes and pops the owner makes all public but the newest item, which it is about to
// run. So what one task makes ready all at once is there for thieves before the owner goes on. It counts its answers
// and takes the question away after some. Only an owner that does not come by, because its task is long, is robbed: the
// thief claims a batch of the private part and pays for both sides with a heavy fence, after which either it has seen
// the owner's latest pop or the owner sees the claim and settles the matter under the lock.
//
// Threads     push, pop, pop_if: the owner. The rest: any thread.
// Cost        push, pop: a few instructions; while asked, a lock if there is something to publish. take: a lock per
//             batch. rob: the same and a heavy fence.
// Invariants  (1) an item leaves exactly once. (2) slots are reused only after the thief has copied them out.
//             (3) head <= shared <= limit; what lies before shared changes hands under the lock only.
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

/// What stands in a queue: a task that has not started, or (lowest bit set) a suspension to resume. 0 is nothing.
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

  /// The common case, without a call: false if it may be full or if a thief has asked.
  bool try_push(item i) noexcept {
    const auto t = tail_.load(std::memory_order_relaxed);
    if (t - freed_seen_ >= static_cast<std::int64_t>(capacity_) || is_steal_requested()) [[unlikely]]
      return false;
    slots_[static_cast<std::size_t>(t) & mask_].store(i, std::memory_order_relaxed);
    tail_.store(t + 1, std::memory_order_release);
    return true;
  }
  /// False if it is full: the owner then grows it, or first runs some of what is here.
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

  /// Takes the newest item if it is this one.
  bool pop_if(item expected) {
    const auto t = tail_.load(std::memory_order_relaxed) - 1;
    // What stands there may be a leftover; then limit_ is beyond it.
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

  /// Something can be taken at once.
  bool has_public() const noexcept {
    return head_.load(std::memory_order_relaxed) < shared_.load(std::memory_order_relaxed);
  }
  /// Takes up to half of the public items, oldest first, at most `most`; returns how many. None if another thief is
  /// here. More than one, and nobody asks any longer.
  std::size_t take_offered(item* out, std::size_t most) noexcept;
  /// From now on the owner makes public all but the newest item, until it has answered often enough.
  void request_steal() noexcept { limit_.store(steal_requested, std::memory_order_relaxed); }
  /// False once the owner has answered often enough.
  bool is_steal_requested() const noexcept { return limit_.load(std::memory_order_relaxed) == steal_requested; }
  /// Two different readings say that the owner has come by while it was asked.
  std::uint32_t steal_replies() const noexcept { return steal_replies_.load(std::memory_order_relaxed); }
  /// The owner, asked or not, makes the older half public, a lone item too.
  void publish() noexcept;
  /// As take(), but from the private part where nothing is public: for an owner that does not come by.
  std::size_t force_steal(item* out, std::size_t most) noexcept;

 private:
  static constexpr std::int64_t steal_requested = std::numeric_limits<std::int64_t>::max();

  /// So many answers, and the owner takes the question away; one that publishes nothing counts for four.
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
  std::uint32_t reply_weight_ = 0;  // since a question was last taken away
  // Written by both. What the owner compares with instead of shared_: never less, and `asked` sends it to shared_.
  std::atomic<std::int64_t> limit_{0};
  // written under the lock
  alignas(base::cache_line) std::atomic<std::int64_t> head_{0};
  std::atomic<std::int64_t> shared_{0};
  base::spin_lock lock_;
};

}  // namespace stretto::sched
