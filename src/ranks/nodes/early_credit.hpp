// early_credit.hpp - flow control of small messages between nodes: how many bytes a node keeps early for one rank.
//
// The sending node counts what it has sent to a rank early. The receiving node counts what the rank has received of it,
// and returns the count from time to time. A message that would exceed the limit stays with its sender
// (remote_messages).
//
// Threads     any.
// Cost        an atomic addition for each message on either side.
#pragma once

#include <atomic>
#include <cstdint>

#include "ranks/messages/early_capacity.hpp"

namespace stretto::ranks {

/// The memory of a message of so many bytes: with its place in a queue.
constexpr std::int64_t early_cost(std::int64_t bytes) { return bytes + 128; }

/// At the sending node, for each rank of another one.
class sent_early {
 public:
  /// False if the message must stay with its sender.
  bool try_add(std::int64_t bytes, std::int64_t limit) noexcept {
    if (bytes_.fetch_add(early_cost(bytes), std::memory_order_relaxed) + early_cost(bytes) <= limit) return true;
    bytes_.fetch_sub(early_cost(bytes), std::memory_order_relaxed);
    return false;
  }
  /// The receiving node has returned so much.
  void subtract(std::int64_t cost) noexcept { bytes_.fetch_sub(cost, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> bytes_{0};
};

/// At the receiving node, for each of its ranks and each other node.
class received_early final : public early_capacity {
 public:
  /// `is_due` becomes true whenever `threshold` is reached.
  void begin(std::int64_t threshold, std::atomic<bool>& is_due) noexcept { threshold_ = threshold, is_due_ = &is_due; }
  void release(std::int64_t bytes) noexcept override {
    if (bytes_.fetch_add(early_cost(bytes), std::memory_order_relaxed) + early_cost(bytes) >= threshold_)
      is_due_->store(true, std::memory_order_release);
  }
  /// The count that is to be returned now; 0 below the threshold.
  std::int64_t take_due() noexcept {
    return bytes_.load(std::memory_order_relaxed) < threshold_ ? 0 : bytes_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> bytes_{0};
  std::int64_t threshold_ = 0;
  std::atomic<bool>* is_due_ = nullptr;
};

}  // namespace stretto::ranks
