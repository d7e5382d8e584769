#include "sched/deque.hpp"

#include <algorithm>
#include <mutex>

namespace stretto::sched {

bool deque::push_unless_full(item i) noexcept {
  const auto t = tail_.load(std::memory_order_relaxed);
  freed_seen_ = head_.load(std::memory_order_acquire);
  if (t - freed_seen_ >= static_cast<std::int64_t>(capacity_)) return false;
  slots_[static_cast<std::size_t>(t) & mask_].store(i, std::memory_order_relaxed);
  tail_.store(t + 1, std::memory_order_release);
  if (is_steal_requested()) reply_to_steal(t);
  return true;
}

/// Counts a reply of the owner to the steal request; false once there were enough. Replies that publish nothing weigh
/// more.
bool deque::keeps_request(bool publishes_nothing) noexcept {
  steal_replies_.store(steal_replies_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  reply_weight_ += publishes_nothing ? 4 : 1;
  if (reply_weight_ < enough_replies) return true;
  reply_weight_ = 0;
  return false;
}

/// Publishes the items before `until`, unless a thief holds the lock.
void deque::reply_to_steal(std::int64_t until) noexcept {
  const bool publishes_nothing = shared_.load(std::memory_order_relaxed) >= until;
  const bool keeps = keeps_request(publishes_nothing);
  if ((keeps && publishes_nothing) || !lock_.try_lock()) return;
  std::lock_guard lock(lock_, std::adopt_lock);
  const auto s = std::max(shared_.load(std::memory_order_relaxed), until);
  shared_.store(s, std::memory_order_relaxed);
  if (!keeps || !is_steal_requested()) limit_.store(s, std::memory_order_relaxed);
}

void deque::publish() noexcept {
  if (size() <= 0) return;
  std::scoped_lock lock(lock_);
  const auto h = head_.load(std::memory_order_relaxed);
  const auto s =
      std::max(shared_.load(std::memory_order_relaxed), h + (tail_.load(std::memory_order_relaxed) - h + 1) / 2);
  shared_.store(s, std::memory_order_relaxed);
  limit_.store(s, std::memory_order_relaxed);
}

/// While a request stands the owner compares with shared_ itself; a thief that forces a steal writes both before its
/// fence.
item deque::pop_while_requested(std::int64_t t) noexcept {
  if (t < shared_.load(std::memory_order_relaxed)) return 0;
  const item i = slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
  tail_.store(t, std::memory_order_relaxed);
  base::asymmetric::light();
  if (t < shared_.load(std::memory_order_acquire)) {
    tail_.store(t + 1, std::memory_order_relaxed);
    return 0;
  }
  reply_to_steal(t);
  return i;
}

item deque::pop_public(std::int64_t t) noexcept {
  if (t < head_.load(std::memory_order_relaxed)) return 0;
  if (is_steal_requested())
    if (const item i = pop_while_requested(t)) return i;
  std::scoped_lock lock(lock_);
  const auto h = head_.load(std::memory_order_relaxed);
  auto s = shared_.load(std::memory_order_relaxed);
  bool keeps = is_steal_requested();
  item i = 0;
  if (t >= h) {
    if (keeps) {
      s = t;
      keeps = keeps_request(false);
    } else if (t < s) {
      s = h + (t - h) / 2;  // nothing is private: make half private again
    }
    i = slots_[static_cast<std::size_t>(t) & mask_].load(std::memory_order_relaxed);
    shared_.store(s, std::memory_order_relaxed);
    tail_.store(t, std::memory_order_relaxed);
  }
  if (!keeps) limit_.store(s, std::memory_order_relaxed);
  return i;
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

std::size_t deque::take_locked(item* out, std::size_t most) noexcept {
  const auto h = head_.load(std::memory_order_relaxed);
  const auto there = shared_.load(std::memory_order_relaxed) - h;
  const auto n = std::min<std::int64_t>((there + 1) / 2, static_cast<std::int64_t>(most));
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = slots_[static_cast<std::size_t>(h + i) & mask_].load(std::memory_order_relaxed);
  head_.store(h + n, std::memory_order_release);
  // A thief with more than one item needs no further ones: the owner may keep its next items private.
  if (n > 1) limit_.store(shared_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return static_cast<std::size_t>(n);
}

std::size_t deque::take_offered(item* out, std::size_t most) noexcept {
  if (!has_public() || !lock_.try_lock()) return 0;
  std::lock_guard lock(lock_, std::adopt_lock);
  return take_locked(out, most);
}

std::size_t deque::force_steal(item* out, std::size_t most) noexcept {
  if (size() <= 0 || !lock_.try_lock()) return 0;
  std::lock_guard lock(lock_, std::adopt_lock);
  const auto h = head_.load(std::memory_order_relaxed);
  if (shared_.load(std::memory_order_relaxed) == h) {
    const auto seen = tail_.load(std::memory_order_acquire) - h;
    if (seen <= 0) return 0;
    auto claimed = h + (seen + 1) / 2;
    shared_.store(claimed, std::memory_order_relaxed);
    limit_.store(claimed, std::memory_order_relaxed);
    base::asymmetric::heavy();
    const auto t = tail_.load(std::memory_order_acquire);
    if (t < claimed) {
      claimed = std::max(t, h);
      shared_.store(claimed, std::memory_order_release);
      limit_.store(claimed, std::memory_order_release);
    }
  }
  return take_locked(out, most);
}

}  // namespace stretto::sched
