// priority_queue.hpp - ready tasks with a priority other than 0: higher first, then in order of arrival.
//
// Threads     any.
// Cost        is_empty: one load. put, take: a lock and O(log n).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sched/deque.hpp"

namespace stretto::sched {

class priority_queue {
 public:
  bool is_empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  void put(item i, int priority) {
    std::scoped_lock lock(lock_);
    heap_.push_back({priority, arrivals_++, i});
    std::push_heap(heap_.begin(), heap_.end());
    size_.store(heap_.size(), std::memory_order_seq_cst);
  }

  /// The first one if its priority is at least `least`, else 0.
  item take(int least) {
    if (is_empty()) return 0;
    std::scoped_lock lock(lock_);
    if (heap_.empty() || heap_.front().priority < least) return 0;
    const item i = heap_.front().what;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    size_.store(heap_.size(), std::memory_order_release);
    return i;
  }

 private:
  struct entry {
    int priority;
    std::uint64_t arrival;
    item what;
    bool operator<(const entry& other) const noexcept {
      return priority != other.priority ? priority < other.priority : arrival > other.arrival;
    }
  };
  base::spin_lock lock_;
  std::vector<entry> heap_;
  std::uint64_t arrivals_ = 0;
  std::atomic<std::size_t> size_{0};
};

}  // namespace stretto::sched
