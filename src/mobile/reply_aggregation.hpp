// reply_aggregation.hpp - the replies to the messages of one broadcast, sent back together: when each of them has been
// handled here or forwarded, or when there are enough bytes.
//
// A node that receives a broadcast makes one, and gives each message of it a share. The message ends its share when it
// has its reply, or when another node will reply to it.
//
// Only the sender of the broadcast waits for these replies. A reply that waits here for others is lost with this node,
// as a reply on its way would be.
//
// Threads     Any.
// Cost        A lock for each reply.
// Invariants  (1) Every reply that was added is sent, at the latest by the end() of the last share. (2) A share is
//             dropped without end() only if the sender of its message has failed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/back_pressure.hpp"
#include "dist/job.hpp"

namespace stretto::mobiles {

/// The message aggregated_replies (protocol_messages.hpp), whose replies have been encoded one after another.
struct encoded_replies {
  static constexpr std::string_view message = "mobile.aggregated_replies";
  std::uint32_t count = 0;
  std::span<const std::byte> replies = {};
};

class reply_aggregation {
 public:
  /// From this size on, add() sends the replies that it has collected, without waiting for more.
  static constexpr std::size_t flush_bytes = std::size_t{16} << 10;
  /// Sends `all` to node `to`. `owner` is the protocol that sends it.
  using send_function = void (*)(void* owner, dist::rank to, const encoded_replies& all);

  /// `to` has sent the broadcast. `memory` counts the arguments of the broadcast as received until the last share ends.
  reply_aggregation(dist::rank to, send_function send, void* owner, dist::back_pressure::share&& memory = {}) noexcept
      : to_(to), send_(send), owner_(owner), memory_(std::move(memory)) {}
  reply_aggregation(const reply_aggregation&) = delete;

  /// Belongs to one message. A copy of the message gets an empty share.
  class share {
   public:
    share() noexcept = default;
    explicit share(std::shared_ptr<reply_aggregation> of) : of_(std::move(of)) {
      const std::scoped_lock lock(of_->lock_);
      ++of_->messages_;
    }
    share(const share&) noexcept {}
    share(share&&) noexcept = default;
    share& operator=(share other) noexcept {
      of_.swap(other.of_);
      return *this;
    }
    ~share() {
      if (of_) of_->count_down();
    }
    /// Another share of the same aggregation, for one more message.
    share one_more() const { return share(of_); }
    explicit operator bool() const noexcept { return of_ != nullptr; }
    /// Adds a reply, encoded as `fields` and then `value`.
    void add(std::span<const std::byte> fields, std::span<const std::byte> value) { of_->add(fields, value); }
    /// The message adds no more replies. The last share sends the replies that were not sent before.
    void end() {
      if (const auto of = std::exchange(of_, nullptr)) of->end();
    }

   private:
    std::shared_ptr<reply_aggregation> of_;
  };

 private:
  struct encoded {
    std::uint32_t count = 0;
    std::vector<std::byte> replies = {};
  };
  void add(std::span<const std::byte> fields, std::span<const std::byte> value);
  void end();
  void send(const encoded& all) { send_(owner_, to_, {all.count, all.replies}); }
  /// Ends a share without sending anything. Returns true if it was the last.
  bool count_down() noexcept {
    const std::scoped_lock lock(lock_);
    return --messages_ == 0;
  }

  const dist::rank to_;
  const send_function send_;
  void* const owner_;
  base::spin_lock lock_;        // guards the two members below
  std::uint32_t messages_ = 0;  // shares that have not ended
  encoded added_;               // replies that were not sent yet
  const dist::back_pressure::share memory_;
};

}  // namespace stretto::mobiles
