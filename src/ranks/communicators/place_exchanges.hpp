// place_exchanges.hpp - improves an assignment of locations to places by exchanging pairs.
//
// Threads     pure.
#pragma once

#include <vector>

#include "ranks/communicators/place_graph.hpp"
#include "ranks/communicators/rank_location.hpp"

namespace stretto::ranks {

/// Exchanges the locations of two places as long as that lessens the weight of links between nodes, then those of two
/// places of one node as long as that lessens the weight between workers.
///
/// cost  each round: links times the size of the groups that they lead to; each level ends after 4 x 10^6 steps, 0.1 s.
void exchange_places(const place_graph& graph, std::vector<rank_location>& at_places);

}  // namespace stretto::ranks
