// priority_queue.hpp - ready tasks with a priority other than 0: higher first, then in order of arrival.
//
// Threads     any.
// Cost        is_empty, highest: one load. put, take: a lock and O(log n).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "sched/deque.hpp"

namespace stretto::sched {

class priority_queue {
 public:
  static constexpr int none = std::numeric_limits<int>::min();

  bool is_empty() const noexcept { return highest() == none; }
  /// The highest priority in the queue, or none.
  int highest() const noexcept { return highest_.load(std::memory_order_acquire); }

  void put(item i, int priority) {
    std::scoped_lock lock(lock_);
    heap_.push_back({priority, arrivals_++, i});
    std::push_heap(heap_.begin(), heap_.end());
    highest_.store(heap_.front().priority, std::memory_order_seq_cst);
  }

  /// Removes and returns the first item if its priority is at least `least`; else returns 0.
  item take(int least) {
    if (highest() < least) return 0;
    std::scoped_lock lock(lock_);
    if (heap_.empty() || heap_.front().priority < least) return 0;
    const item i = heap_.front().what;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    highest_.store(heap_.empty() ? none : heap_.front().priority, std::memory_order_release);
    return i;
  }

  std::size_t size() const noexcept {
    std::scoped_lock lock(lock_);
    return heap_.size();
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
  mutable base::spin_lock lock_;
  std::vector<entry> heap_;
  std::uint64_t arrivals_ = 0;
  std::atomic<int> highest_{none};
};

}  // namespace stretto::sched
