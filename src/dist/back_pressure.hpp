// back_pressure.hpp - memory-based flow control for messages: suspends tasks that send faster than receivers consume,
// and stops receiving while too many messages of other nodes wait to start.
//
// Two quantities are limited to `memory_bytes` each: the bytes that this node has sent and that receivers have not
// consumed or answered, and the bytes that arrived here and have not started. A task that sends above the limit lets
// other tasks run until the quantity falls. If nothing changes for some time, the task sends anyway, because its
// message may be what all others wait for. A poll that skips receiving gives up after some time for the same reason.
// Contents of instances do not count: they go to memory that somebody has allocated for them.
//
// Threads     hold_back: any thread, but not inside a poll. should_stop_receiving: the polling thread. The rest: any.
// Cost        one or two loads while below the limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <utility>

namespace stretto::net {
class transport;
}

namespace stretto::dist {

struct message_limits {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;  // for sent messages, and as much for received ones
  std::uint64_t max_message_bytes = 0;                    // largest message accepted; 0: the free memory of the host
};

class back_pressure {
 public:
  /// Must be called before the first message is sent.
  void set(const message_limits& limits) noexcept { limits_ = limits; }

  enum class kind : std::uint8_t { received, unanswered };
  /// Counts bytes while it lives, or until end(): of a received message that has not started, or of data kept until
  /// another node answers. A copy counts nothing.
  class share {
   public:
    share() noexcept = default;
    share(back_pressure& of, kind is, std::uint64_t bytes) noexcept;
    share(const share&) noexcept {}
    share(share&& other) noexcept : of_(std::exchange(other.of_, nullptr)), is_(other.is_), bytes_(other.bytes_) {}
    share& operator=(const share&) noexcept {
      end();
      return *this;
    }
    share& operator=(share&& other) noexcept;
    ~share() { end(); }
    void end() noexcept;

   private:
    back_pressure* of_ = nullptr;
    kind is_ = kind::received;
    std::uint64_t bytes_ = 0;
  };

  /// A task must call this before it sends a message on its own initiative. Suspends the task while above the limit.
  void hold_back(const net::transport& net, std::source_location where) {
    if (outstanding_bytes(net) > limits_.memory_bytes) [[unlikely]]
      wait_for_memory(net, where);
    else if (is_stuck_.load(std::memory_order_relaxed)) [[unlikely]] is_stuck_.store(false, std::memory_order_relaxed);
  }
  /// True if the current poll must not receive messages.
  bool should_stop_receiving() noexcept {
    return received_bytes_.load(std::memory_order_relaxed) > limits_.memory_bytes && should_skip_poll();
  }

  /// The largest message that this node can accept now.
  std::uint64_t max_message_bytes() const;
  /// True if a fixed limit is set, which is the same on all nodes.
  bool has_message_limit() const noexcept { return limits_.max_message_bytes != 0; }

 private:
  /// Bytes that receivers have not consumed or answered.
  std::uint64_t outstanding_bytes(const net::transport& net) const noexcept;
  void wait_for_memory(const net::transport& net, const std::source_location& where);
  bool should_skip_poll() noexcept;

  message_limits limits_;
  std::atomic<std::uint64_t> received_bytes_{0}, unanswered_bytes_{0}, started_messages_{0};
  std::atomic<bool> is_stuck_{false};  // a sender has timed out, and no sender has seen progress since
  std::uint64_t started_seen_ = 0, skipped_polls_ = 0, waiting_since_ns_ = 0;  // only the polling thread
};

}  // namespace stretto::dist
