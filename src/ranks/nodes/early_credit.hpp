// early_credit.hpp - flow control of small messages between nodes: limits the memory of early messages, which have come
// to the receiving node before the rank receives them.
//
// The sending node counts the bytes that it has sent to a rank early. The receiving node counts those of them that the
// rank has received, and returns the count from time to time: the sender subtracts it. The data of a message that would
// exceed the limit stays with its sender until the receiving node requests it (remote_messages.hpp).
//
// Threads     any.
// Cost        an atomic addition for each message on either side.
#pragma once

#include <atomic>
#include <cstdint>

#include "ranks/messages/early_capacity.hpp"

namespace stretto::ranks {

/// The memory that a message of so many bytes takes up, with its entry in a queue.
constexpr std::int64_t early_cost(std::int64_t bytes) { return bytes + 128; }

/// The count of a sending node for one rank of another node.
class sent_early {
 public:
  /// Called before a small message is sent; false if its data must stay with the sender.
  bool try_add(std::int64_t bytes, std::int64_t limit) noexcept {
    if (bytes_.fetch_add(early_cost(bytes), std::memory_order_relaxed) + early_cost(bytes) <= limit) return true;
    bytes_.fetch_sub(early_cost(bytes), std::memory_order_relaxed);
    return false;
  }
  /// The receiving node has returned this part of the count.
  void subtract(std::int64_t cost) noexcept { bytes_.fetch_sub(cost, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> bytes_{0};
};

/// The count of a receiving node for one of its ranks and one sending node.
class received_early final : public early_capacity {
 public:
  /// Called before any message comes. When the count reaches `threshold`, release() sets `is_due`, and a thread that
  /// polls the network calls take_due().
  void begin(std::int64_t threshold, std::atomic<bool>& is_due) noexcept { threshold_ = threshold, is_due_ = &is_due; }
  /// A message of so many bytes has been received.
  void release(std::int64_t bytes) noexcept override {
    if (bytes_.fetch_add(early_cost(bytes), std::memory_order_relaxed) + early_cost(bytes) >= threshold_)
      is_due_->store(true, std::memory_order_release);
  }
  /// Takes the count in order to return it to the sending node; 0 if it is below the threshold.
  std::int64_t take_due() noexcept {
    return bytes_.load(std::memory_order_relaxed) < threshold_ ? 0 : bytes_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> bytes_{0};
  std::int64_t threshold_ = 0;
  std::atomic<bool>* is_due_ = nullptr;
};

}  // namespace stretto::ranks
