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
  std::uint64_t memory = std::uint64_t{256} << 20;  // bytes, on each side
  std::uint64_t largest = 0;                        // bytes of one message that is taken; 0: what the machine has free
};

class back_pressure {
 public:
  /// Before anything is sent.
  void set(const message_limits& limits) noexcept { limits_ = limits; }

  enum class what : std::uint8_t { came, kept };
  /// Bytes of what came and has not begun, or of what is kept here until others answer: as long as this lives, or until it ends. A copy
  /// counts for nothing.
  class share {
   public:
    share() noexcept = default;
    share(back_pressure& of, what is, std::uint64_t bytes) noexcept;
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
    what is_ = what::came;
    std::uint64_t bytes_ = 0;
  };

  /// Before a task sends, of its own will.
  void hold_back(const net::transport& net, std::source_location where) {
    if (held(net) > limits_.memory) [[unlikely]] wait_for_room(net, where);
    else if (is_stuck_.load(std::memory_order_relaxed)) [[unlikely]] is_stuck_.store(false, std::memory_order_relaxed);
  }
  /// Nothing more is to be taken at the moment.
  bool is_full() noexcept { return came_.load(std::memory_order_relaxed) > limits_.memory && shall_wait(); }

  /// Bytes of the largest message that this node can take now.
  std::uint64_t most_taken() const;
  /// Whether that was said, to all nodes the same.
  bool has_largest() const noexcept { return limits_.largest != 0; }

 private:
  /// Of what others have not taken or answered.
  std::uint64_t held(const net::transport& net) const noexcept;
  void wait_for_room(const net::transport& net, const std::source_location& where);
  bool shall_wait() noexcept;

  message_limits limits_;
  std::atomic<std::uint64_t> came_{0}, kept_{0}, begun_{0};
  std::atomic<bool> is_stuck_{false};  // a sender has given up, and nobody has seen less than before since then
  std::uint64_t begun_seen_ = 0, polls_left_out_ = 0, waits_since_ = 0;  // of who polls
};

}  // namespace stretto::dist
