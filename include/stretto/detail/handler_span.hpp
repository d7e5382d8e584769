// handler_span.hpp - what is measured of a handler while it runs: what mobile.hpp needs of the scheduler's bookkeeping.
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

STRETTO_API_BEGIN

namespace stretto::detail {

/// Nanoseconds that devices have computed for somebody. Whoever counts for it may outlive it.
using device_time = std::shared_ptr<std::atomic<std::uint64_t>>;

/// How long a handler is on workers, and for whom devices compute what it launches.
struct handler_span {
  std::uint64_t began = 0;  // ticks; 0: nobody measures, and the others are nothing
  std::uint64_t suspended;
  const device_time* on_devices;
  handler_span* outer;  // what it runs on top of
};

}  // namespace stretto::detail

STRETTO_API_END
