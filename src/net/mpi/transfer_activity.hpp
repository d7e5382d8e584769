// transfer_activity.hpp - whether large transfers have made progress recently: they progress only inside polls, so
// poll() then asks its caller to poll on.
//
// Threads     the thread that holds the transport's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace stretto::net::mpi {

class transfer_activity {
 public:
  /// A transfer of `bytes` begins, or has made progress (0). Allows a nanosecond per byte, which is slow, and assumes
  /// that transfers run one after the other.
  void note_transfer(std::uint64_t bytes) noexcept {
    const std::uint64_t now = base::nanoseconds_now();
    until_ = std::min(std::max(until_, now + patience_ns) + bytes, now + longest_patience_ns);
  }
  /// Transfers began or made progress recently.
  bool is_recent() const noexcept { return base::nanoseconds_now() < until_; }

 private:
  /// How long to poll on without progress, and the most in all.
  static constexpr std::uint64_t patience_ns = 2'000'000, longest_patience_ns = 1'000'000'000;

  std::uint64_t until_ = 0;  // the expected end of the transfers
};

}  // namespace stretto::net::mpi
