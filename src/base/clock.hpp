// clock.hpp - nanoseconds that only grow, for timeouts. Measurements use the trace floor's clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace stretto::base {

inline std::uint64_t nanoseconds_now() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace stretto::base
