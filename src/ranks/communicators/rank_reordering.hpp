// rank_reordering.hpp - which rank takes which place of a topology, so that neighbours are near each other.
//
// Threads     pure.
// Source      hill climbing by exchanges of pairs: Kernighan and Lin, "An efficient heuristic procedure for
// partitioning
//             graphs", 1970; ours makes single exchanges that gain something, on two levels.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/communicators/place_graph.hpp"
#include "ranks/communicators/rank_location.hpp"

namespace stretto::ranks {

/// The weight of the links whose ends differ; fewer between nodes is better than any number between workers.
struct crossing_weight {
  std::int64_t between_nodes = 0;
  std::int64_t between_workers = 0;  // of one node

  friend auto operator<=>(const crossing_weight&, const crossing_weight&) = default;
};

/// `at_places` has the location of the rank at each place.
crossing_weight crossings(const place_graph& graph, std::span<const rank_location> at_places);

/// The rank at each place. `ranks` has the location of each rank, as many as there are places. No two ranks can change
/// places and lessen the weight between nodes, nor two of one node and lessen that between workers, unless the search
/// in a large graph ends early (place_exchanges.hpp). If nothing is better than the order of ranks, they keep it.
std::vector<int> near_ranks(const cartesian_grid& grid, std::span<const rank_location> ranks);
std::vector<int> near_ranks(const place_graph& graph, std::span<const rank_location> ranks);
inline std::vector<int> near_ranks(const graph_topology& graph, std::span<const rank_location> ranks) {
  return near_ranks(place_graph(graph), ranks);
}

}  // namespace stretto::ranks
