// back_pressure.hpp - how much memory messages take of a node: who sends faster than others take waits, and who has more than it can
// begin takes no more for a while.
//
// What a node has sent and others have not taken counts against its room, and so does what came and has not begun. A task that sends
// while there is more than the room lets others run, as long as that changes; where nothing changes for some time it goes on all the
// same, since what it is about to send may be what all wait for. So does a poll. Contents of instances are none of this: they lie in
// memory that somebody has made for them.
//
// Threads     hold_back: any but inside a poll. is_full: who polls. All else: any.
// Cost        a load or two where there is room.
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
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;  // bytes, on each side
  std::uint64_t max_message_bytes = 0;                        // bytes of one message that is taken; 0: what the machine has free
};

class back_pressure {
 public:
  /// Before anything is sent.
  void set(const message_limits& limits) noexcept { limits_ = limits; }

  enum class kind : std::uint8_t { received, unanswered };
  /// Bytes of what came and has not begun, or of what is kept here until others answer: as long as this lives, or until it ends. A copy
  /// counts for nothing.
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

  /// Before a task sends, of its own will.
  void hold_back(const net::transport& net, std::source_location where) {
    if (outstanding_bytes(net) > limits_.memory_bytes) [[unlikely]] wait_for_memory(net, where);
    else if (is_stuck_.load(std::memory_order_relaxed)) [[unlikely]] is_stuck_.store(false, std::memory_order_relaxed);
  }
  /// Nothing more is to be taken at the moment.
  bool should_stop_receiving() noexcept { return received_bytes_.load(std::memory_order_relaxed) > limits_.memory_bytes && should_skip_poll(); }

  /// Bytes of the largest message that this node can take now.
  std::uint64_t max_message_bytes() const;
  /// Whether that was said, to all nodes the same.
  bool has_message_limit() const noexcept { return limits_.max_message_bytes != 0; }

 private:
  /// Of what others have not taken or answered.
  std::uint64_t outstanding_bytes(const net::transport& net) const noexcept;
  void wait_for_memory(const net::transport& net, const std::source_location& where);
  bool should_skip_poll() noexcept;

  message_limits limits_;
  std::atomic<std::uint64_t> received_bytes_{0}, unanswered_bytes_{0}, started_messages_{0};
  std::atomic<bool> is_stuck_{false};  // a sender has given up, and nobody has seen less than before since then
  std::uint64_t started_seen_ = 0, skipped_polls_ = 0, waiting_since_ns_ = 0;  // of who polls
};

}  // namespace stretto::dist
