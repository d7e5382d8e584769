// clock.hpp - a steady clock in nanoseconds, for timeouts, and the processor time of a thread. Measurements use the
// trace floor's clock.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace stretto::base {

inline std::uint64_t nanoseconds_now() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// Processor time that the calling thread has used.
inline std::uint64_t processor_nanoseconds() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace stretto::base
