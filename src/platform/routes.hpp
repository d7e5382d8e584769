// routes.hpp - shortest ways through the graph of places: by links and by cost of moving bytes.
//
// Threads     pure.
// Cost        hops: O(places + links); cheapest: O(links log places), one search per call.
// Source      Dijkstra's algorithm with additive link costs; ties by fewer links, then by lower index, so that every
//             node that asks gets the same answer.
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

/// The place of this kind fewest links from `from`, lowest index among equals.
std::optional<place> nearest(const graph& g, place from, place_kind kind);

/// The cheapest ways from one place to all others for a message of `bytes`; cores are never passed through.
class cheapest_routes {
 public:
  cheapest_routes(const graph& g, place from, std::uint64_t bytes);

  struct found_route {
    std::vector<place> places;  // both ends included
    std::vector<transfer_leg> legs;
    std::optional<double> bandwidth_bytes_per_second, latency_seconds;
    double cost_seconds = 0;
  };
  /// Nothing if no usable links lead there.
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
