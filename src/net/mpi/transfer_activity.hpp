// movement.hpp - for how long who polls is told to go on: payloads move only while somebody asks.
//
// Threads     of whoever holds the transport's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace stretto::net::mpi {

class transfer_activity {
 public:
  /// `bytes` begin to move, or have moved: a byte takes a nanosecond, which is slow, and what is under way goes one behind the other.
  void note_transfer(std::uint64_t bytes) noexcept {
    const std::uint64_t now = base::nanoseconds_now();
    until_ = std::min(std::max(until_, now + patience_ns) + bytes, now + longest_patience_ns);
  }
  /// Something began or ended a moment ago.
  bool is_recent() const noexcept { return base::nanoseconds_now() < until_; }

 private:
  /// When nothing begins or ends.
  static constexpr std::uint64_t patience_ns = 2'000'000, longest_patience_ns = 1'000'000'000;

  std::uint64_t until_ = 0;  // if nothing is in the way
};

}  // namespace stretto::net::mpi
