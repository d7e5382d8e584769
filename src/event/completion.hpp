// completion.hpp - a one-shot "this has happened" that lives inside a larger counted object (a task's record).
//
// A dependency on a task needs no event slot: the waiter is linked here. An event is made only on request.
//
// Threads     all members from any thread; complete() once.
// Memory      what happened before complete() is visible after is_done() returned true.
// Cost        is_done: one load. subscribe: one compare-and-swap. complete, which also gives up the finisher's
//             reference: one compare-and-swap. release by the only holder: one load.
// Invariants  (1) state, waiter list and reference count share one word, so finishing costs one atomic operation.
//             (2) a failure is aligned to 16 bytes and takes the list's place in the word.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/sanitizers.hpp"
#include "event/waiter.hpp"

namespace stretto {

struct completion {
  completion(const completion_kind& k, std::uint32_t references) noexcept
      : word_(std::uint64_t{references} << reference_shift), kind(&k) {}

  /// Born done, with the owner's reference alone.
  struct already_done {};
  completion(const completion_kind& k, already_done) noexcept : word_(one_reference | done), kind(&k) {}

  bool is_done() const noexcept {
    const bool is = word_.load(std::memory_order_acquire) & done;
    if (is) base::announce_acquire(this);
    return is;
  }
  /// Null unless poisoned. Requires is_done().
  const failure* cause() const noexcept {
    const auto word = word_.load(std::memory_order_acquire);
    base::announce_acquire(this);
    return word & poisoned ? static_cast<const failure*>(pointer(word)) : nullptr;
  }

  /// Links `w`, or returns false and leaves `w` alone if already done.
  bool subscribe(waiter& w) noexcept {
    base::announce_release(&w);
    auto word = word_.load(std::memory_order_acquire);
    do {
      if (word & done) {
        base::announce_acquire(this);
        return false;
      }
      w.next = static_cast<waiter*>(pointer(word));
    } while (!word_.compare_exchange_weak(word, packed(&w) | (word & references_mask), std::memory_order_release,
                                          std::memory_order_acquire));
    return true;
  }

  /// Marks it done, drops the finisher's reference, fires all waiters. The object may be gone when this returns.
  void complete(base::thread_context& context) noexcept {
    if (end(context)) return;
    base::announce_acquire(this);  // other threads may have held it before
    kind->destroy(*this);
  }
  /// The same if the caller holds a reference of its own, next to the finisher's.
  void complete_held(base::thread_context& context) noexcept { end(context); }

  /// The same, poisoned if there is a cause.
  void complete(failure_ref cause, base::thread_context& context) noexcept {
    if (!cause) return complete(context);
    const failure* f = cause.detach();
    base::announce_release(this);
    auto word = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(word, packed(f) | done | poisoned | (word & references_mask),
                                        std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    if (word >> pointer_shift) detail::fire_all(static_cast<waiter*>(pointer(word)), f, context);
    release();
  }

  /// Makes it as new. Requires that it is done and that the caller holds the only reference.
  void restart(std::uint32_t references) noexcept {
    word_.store(std::uint64_t{references} << reference_shift, std::memory_order_relaxed);
  }

  void add_reference() noexcept { word_.fetch_add(one_reference, std::memory_order_relaxed); }

  /// The only holder of a done completion needs no read-modify-write: no other thread can add a reference.
  void release() noexcept {
    base::announce_release(this);
    const auto word = word_.load(std::memory_order_acquire);
    if ((word & (references_mask | done)) == (one_reference | done) ||
        ((word_.fetch_sub(one_reference, std::memory_order_acq_rel) & references_mask) == one_reference)) {
      base::announce_acquire(this);
      drop_cause();
      kind->destroy(*this);
    }
  }

  /// For reports: the present waiters, the latest first.
  const waiter* waiters() const noexcept {
    const auto word = word_.load(std::memory_order_acquire);
    return word & done ? nullptr : static_cast<const waiter*>(pointer(word));
  }
  std::uint32_t references() const noexcept {
    return static_cast<std::uint32_t>((word_.load(std::memory_order_relaxed) & references_mask) >> reference_shift);
  }

 private:
  // 43 bits of pointer (aligned to 16, below 2^47), 19 of references, poisoned, done.
  static constexpr std::uint64_t done = 1, poisoned = 2;
  static constexpr unsigned reference_shift = 2, pointer_shift = 21;
  static constexpr std::uint64_t one_reference = std::uint64_t{1} << reference_shift;
  static constexpr std::uint64_t references_mask = ((std::uint64_t{1} << pointer_shift) - 1) & ~(done | poisoned);

  static std::uint64_t packed(const void* p) noexcept {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p)) >> 4 << pointer_shift;
  }
  static void* pointer(std::uint64_t word) noexcept {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(word >> pointer_shift << 4));
  }
  /// Marks it done, drops one reference and fires the waiters. True if references are left.
  [[gnu::always_inline]] bool end(base::thread_context& context) noexcept {
    base::announce_release(this);
    auto word = word_.load(std::memory_order_relaxed);
    std::uint64_t after;
    do after = done | ((word & references_mask) - one_reference);
    while (!word_.compare_exchange_weak(word, after, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (word >> pointer_shift) [[unlikely]]
      detail::fire_all(static_cast<waiter*>(pointer(word)), nullptr, context);
    return after & references_mask;
  }
  void drop_cause() noexcept {
    const auto word = word_.load(std::memory_order_relaxed);
    if (word & poisoned) [[unlikely]]
      static_cast<const failure*>(pointer(word))->release();
  }

  std::atomic<std::uint64_t> word_;

 public:
  const completion_kind* kind;
};

}  // namespace stretto
