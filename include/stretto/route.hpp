// route.hpp - routes of copies between places: the result of platform::route.
//
//     void print_route(const platform& machine, place from, place to) {
//       const std::optional<transfer_route> way = machine.route(from, to, 1 << 20);
//       if (!way) return;  // copies throw D12
//       for (const transfer_leg& leg : way->legs)
//         std::printf("%s -> %s at %g bytes/s\n", machine.name(leg.from).c_str(), machine.name(leg.to).c_str(),
//                     leg.bandwidth_bytes_per_second.value_or(0));
//     }
//
// Threads     plain values.
#pragma once

#include <stretto/place.hpp>

#include <optional>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// One leg of a route: a copy by a channel of a runtime, or a link of the platform.
struct transfer_leg {
  place from, to;                                    // the two ends
  std::optional<double> bandwidth_bytes_per_second;  // absent if unknown
  std::optional<double> latency_seconds;             // absent if unknown

  friend bool operator==(const transfer_leg&, const transfer_leg&) = default;
};

/// The route of a copy: both ends and every place between them, in order.
struct transfer_route {
  std::vector<place> places;                         // both ends, and those between them
  std::optional<double> bandwidth_bytes_per_second;  // of the slowest leg; absent if any leg's is unknown
  std::optional<double> latency_seconds;             // of all legs together; absent if any leg's is unknown
  std::vector<transfer_leg> legs;                    // from each of the places to the next

  friend bool operator==(const transfer_route&, const transfer_route&) = default;
};

}  // namespace stretto

STRETTO_API_END
