// reply_aggregation.hpp - the replies to the messages of one broadcast, sent back together: when each of them has been
// handled here or forwarded, or when there are enough bytes.
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
  /// Sends without waiting for more from this size on.
  static constexpr std::size_t flush_bytes = std::size_t{16} << 10;
  using send_function = void (*)(void* owner, dist::rank to, const encoded_replies& all);

  /// `memory` counts the arguments of the broadcast.
  reply_aggregation(dist::rank to, send_function send, void* owner, dist::back_pressure::share&& memory = {}) noexcept
      : to_(to), send_(send), owner_(owner), memory_(std::move(memory)) {}
  reply_aggregation(const reply_aggregation&) = delete;

  /// The share of one message. A copy of the message has none.
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
    /// A share for one more message.
    share one_more() const { return share(of_); }
    explicit operator bool() const noexcept { return of_ != nullptr; }
    /// Adds a reply, encoded as `fields` and then `value`.
    void add(std::span<const std::byte> fields, std::span<const std::byte> value) { of_->add(fields, value); }
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
  bool count_down() noexcept {
    const std::scoped_lock lock(lock_);
    return --messages_ == 0;
  }

  const dist::rank to_;
  const send_function send_;
  void* const owner_;
  base::spin_lock lock_;
  std::uint32_t messages_ = 0;
  encoded added_;
  const dist::back_pressure::share memory_;
};

}  // namespace stretto::mobiles
