// reply_aggregation.hpp - the answers to letters that came as one message go back as one, once each of them has been handled or has gone on from here.
//
// Nobody but who has sent them all waits for them. So an answer may lie here while others of the same message are handled: it is this node's
// to lose like one on its way.
//
// Threads     any.
// Cost        a lock for each answer.
// Invariants  (1) what was added goes, the latest when the last share ends by end(). (2) a share that is dropped instead was of a sender that is
//             lost, whom nobody tells.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/back_pressure.hpp"
#include "dist/job.hpp"

namespace stretto::mobiles {

class reply_aggregation {
 public:
  /// So many bytes go without waiting for more.
  static constexpr std::size_t flush_bytes = std::size_t{16} << 10;
  using send_function = void (*)(void* owner, dist::rank to, dist::writer&& replies);

  /// `memory` is what came with the letters.
  reply_aggregation(dist::rank to, send_function send, void* owner, dist::back_pressure::share&& memory = {}) noexcept
      : to_(to), send_(send), owner_(owner), memory_(std::move(memory)) {}
  reply_aggregation(const reply_aggregation&) = delete;

  /// One letter's part in it. A copy of a letter has none.
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
    /// Of one letter more.
    share one_more() const { return share(of_); }
    explicit operator bool() const noexcept { return of_ != nullptr; }
    /// An answer, in two parts.
    void add(std::span<const std::byte> header, std::span<const std::byte> value) { of_->add(header, value); }
    void end() {
      if (const auto of = std::exchange(of_, nullptr)) of->end();
    }

   private:
    std::shared_ptr<reply_aggregation> of_;
  };

 private:
  void add(std::span<const std::byte> header, std::span<const std::byte> value);
  void end();
  void send(std::span<const std::byte> replies);
  bool count_down() noexcept {
    const std::scoped_lock lock(lock_);
    return --messages_ == 0;
  }

  const dist::rank to_;
  const send_function send_;
  void* const owner_;
  base::spin_lock lock_;
  std::uint32_t messages_ = 0;
  std::vector<std::byte> replies_;
  const dist::back_pressure::share memory_;
};

}  // namespace stretto::mobiles
