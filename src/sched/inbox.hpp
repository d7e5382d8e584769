// inbox.hpp - a first-in, first-out queue of tasks that other threads submit to a worker or a place.
//
// Threads     put: any. take_all: any; of two concurrent takers each gets a part.
// Cost        put: one compare-and-swap. take_all: one exchange and a reversal; nothing while it is empty.
#pragma once

#include <atomic>

#include "base/config.hpp"
#include "event/waiter.hpp"
#include "sched/deque.hpp"

namespace stretto::sched {

class alignas(base::cache_line) inbox {
 public:
  bool is_empty() const noexcept { return head_.load(std::memory_order_acquire) == 0; }

  /// `link` is the waiter of a task, or of a suspension if `suspended`. The lowest bit of its pointer keeps which.
  void put(waiter& link, bool suspended) noexcept {
    auto head = head_.load(std::memory_order_relaxed);
    do link.next = reinterpret_cast<waiter*>(head);
    while (!head_.compare_exchange_weak(head, reinterpret_cast<std::uintptr_t>(&link) | (suspended ? 1u : 0u),
                                        std::memory_order_seq_cst, std::memory_order_relaxed));
    puts_.fetch_add(1, std::memory_order_relaxed);
  }

  /// How many items have been put so far; how many of them are still here, roughly.
  std::uint64_t puts() const noexcept { return puts_.load(std::memory_order_relaxed); }
  std::uint64_t size() const noexcept {
    const std::uint64_t taken = taken_.load(std::memory_order_relaxed), put = puts();
    return put > taken ? put - taken : 0;
  }

  /// Removes all items and calls each(link, suspended) for each, oldest first. Returns whether there were any.
  template <class Each>
  bool take_all(Each&& each) {
    if (is_empty()) return false;
    auto word = head_.exchange(0, std::memory_order_acquire);
    std::uintptr_t reversed = 0;
    std::uint64_t count = 0;
    for (; word; ++count) {
      auto* link = reinterpret_cast<waiter*>(word & ~std::uintptr_t{1});
      const auto next = reinterpret_cast<std::uintptr_t>(link->next);
      link->next = reinterpret_cast<waiter*>(reversed);
      reversed = word;
      word = next;
    }
    const bool any = reversed != 0;
    taken_.fetch_add(count, std::memory_order_relaxed);
    while (reversed) {
      auto* link = reinterpret_cast<waiter*>(reversed & ~std::uintptr_t{1});
      const bool suspended = reversed & 1;
      reversed = reinterpret_cast<std::uintptr_t>(link->next);
      each(*link, suspended);
    }
    return any;
  }

  /// For reports: pointer to the newest item, with the bit of put(); 0: none.
  std::uintptr_t newest() const noexcept { return head_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uintptr_t> head_{0};
  std::atomic<std::uint64_t> puts_{0}, taken_{0};
};

}  // namespace stretto::sched
