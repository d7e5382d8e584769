// handler_span.hpp - measurements of a running handler of a mobile object.
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

STRETTO_API_BEGIN

namespace stretto::detail {

/// Device time in nanoseconds, for one object. Counted by launches that may outlive the object, hence shared.
using device_time = std::shared_ptr<std::atomic<std::uint64_t>>;

/// The worker time of a running handler, and the counter of the device time of its launches.
struct handler_span {
  std::uint64_t began = 0;  // ticks; 0: not measured, and the other members are unused
  std::uint64_t suspended;
  const device_time* on_devices;
  handler_span* outer;  // of the handler on whose stack this one runs
};

}  // namespace stretto::detail

STRETTO_API_END
