// routes.hpp - routes through the graph of places: with the fewest links, or with the least time to move bytes.
//
// Threads     pure.
// Cost        nearest: O(places + links). cheapest_routes: O(links log places), once for all targets.
// Source      Dijkstra's algorithm. Among equal costs the route with fewer links counts, then the lower index, so that
//             all nodes get the same result.
#pragma once

#include <stretto/route.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/graph.hpp"

namespace stretto::places {

/// Assumed figures of a link whose figures are unknown.
inline constexpr double assumed_latency_seconds = 100e-9;
inline constexpr double assumed_bandwidth_bytes_per_second = 10e9;

/// latency + bytes / bandwidth, in seconds. A bandwidth of zero makes the link unusable.
double cost_seconds(const place_link& link, std::uint64_t bytes);

/// The place of this kind with the fewest links to `from`; among equals the one with the lowest index.
std::optional<place> nearest(const graph& g, place from, place_kind kind);

/// The routes from one place to all others on which `bytes` bytes take least time. No route passes through a core.
class cheapest_routes {
 public:
  cheapest_routes(const graph& g, place from, std::uint64_t bytes);

  struct found_route {
    std::vector<place> places;  // both ends included
    std::vector<transfer_leg> legs;
    std::optional<double> bandwidth_bytes_per_second, latency_seconds;
    double cost_seconds = 0;
  };
  /// The route to `target`; nothing if no usable links lead there.
  std::optional<found_route> to(place target) const;

 private:
  struct step {
    double cost;
    std::uint32_t hops, before, link;
  };
  const graph& graph_;
  place from_;
  std::vector<step> steps_;
};

}  // namespace stretto::places
