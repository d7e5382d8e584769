#include "sched/deque.hpp"

#include <algorithm>
#include <mutex>

namespace stretto::sched {

item deque::settle(std::int64_t t) {
  std::scoped_lock lock(lock_);
  if (head_.load(std::memory_order_relaxed) <= t)
    return slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
  tail_.store(t + 1, std::memory_order_relaxed);
  return 0;
}

void deque::grow() {
  const auto t = tail_.load(std::memory_order_relaxed);
  std::scoped_lock lock(lock_);  // no thief is reading the slots
  const auto capacity = capacity_ * 2;
  std::unique_ptr<std::atomic<item>[]> slots(new std::atomic<item>[capacity]);
  for (auto i = head_.load(std::memory_order_relaxed); i < t; ++i)
    slots[static_cast<std::size_t>(i) & (capacity - 1)].store(
        slots_[static_cast<std::size_t>(i) & mask_].load(std::memory_order_relaxed), std::memory_order_relaxed);
  slots_ = std::move(slots);
  capacity_ = capacity;
  mask_ = capacity - 1;
}

std::size_t deque::steal(item* out, std::size_t most) {
  if (size() <= 0 || !lock_.try_lock()) return 0;
  std::lock_guard lock(lock_, std::adopt_lock);
  const auto h = head_.load(std::memory_order_relaxed);
  const auto seen = tail_.load(std::memory_order_acquire) - h;
  if (seen <= 0) return 0;
  auto taken = std::min<std::int64_t>((seen + 1) / 2, static_cast<std::int64_t>(most));
  head_.store(h + taken, std::memory_order_relaxed);
  base::asymmetric::heavy();
  const auto left = tail_.load(std::memory_order_acquire) - h;
  if (left < taken) {
    taken = std::max<std::int64_t>(left, 0);
    head_.store(h + taken, std::memory_order_release);
  }
  for (std::int64_t i = 0; i < taken; ++i)
    out[i] = slots_[static_cast<std::size_t>(h + i) & mask_].load(std::memory_order_relaxed);
  freed_.store(h + taken, std::memory_order_release);
  return static_cast<std::size_t>(taken);
}

}  // namespace stretto::sched
