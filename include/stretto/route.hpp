// route.hpp - by which places bytes go from one to another: what platform::route returns.
//
// Threads     plain values.
#pragma once

#include <stretto/place.hpp>

#include <optional>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// One step of a route: a channel of a runtime, or a link.
struct transfer_leg {
  place from, to;
  std::optional<double> bandwidth_bytes_per_second;  // absent if unknown
  std::optional<double> latency_seconds;

  friend bool operator==(const transfer_leg&, const transfer_leg&) = default;
};

/// A way to move data: both ends and every place between, in order.
struct transfer_route {
  std::vector<place> places;
  std::optional<double> bandwidth_bytes_per_second;  // of the slowest leg; absent if any leg's is unknown
  std::optional<double> latency_seconds;             // of all legs together; absent if any leg's is unknown
  std::vector<transfer_leg> legs;                    // from each of the places to the next

  friend bool operator==(const transfer_route&, const transfer_route&) = default;
};

}  // namespace stretto

STRETTO_API_END
