// place_orders.hpp - orders of the places of a topology in which places that follow one another are near.
//
// Threads     pure.
// Cost        order_by_blocks: O(places log places) and the boundaries between locations for each block;
//             order_by_growth: O(places^2).
#pragma once

#include <span>
#include <vector>

#include "ranks/communicators/place_graph.hpp"
#include "ranks/communicators/rank_location.hpp"

namespace stretto::ranks {

/// Cuts the grid into blocks, one for each node and in it one for each worker, where it can be cut so. `sorted` has the
/// locations that the places of the result take one after another.
std::vector<int> order_by_blocks(const cartesian_grid& grid, std::span<const rank_location> sorted);

/// Adds the place with most links to the places on the same worker, then on the same node, then to all that are there.
/// Very large graphs keep the order of places.
std::vector<int> order_by_growth(const place_graph& graph, std::span<const rank_location> sorted);

}  // namespace stretto::ranks
