// place_graph.hpp - how much the places of a topology exchange: an undirected graph with weights.
//
// Threads     immutable.
// Cost        construction: O(places + edges).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/communicators/cartesian_grid.hpp"
#include "ranks/communicators/graph_topology.hpp"
#include "ranks/communicators/neighbor_graph.hpp"

namespace stretto::ranks {

struct place_link {
  int place = 0;
  std::int64_t weight = 0;
};

class place_graph {
 public:
  /// An edge of a place to itself counts nothing. Several edges of two places are several links.
  place_graph(int places, std::span<const weighted_edge> edges);
  explicit place_graph(const cartesian_grid& grid);
  explicit place_graph(const graph_topology& graph);

  int places() const { return static_cast<int>(begins_.size()) - 1; }
  std::span<const place_link> links(int place) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(place)];
    return std::span(links_).subspan(begin, begins_[static_cast<std::size_t>(place) + 1] - begin);
  }

 private:
  std::vector<std::size_t> begins_;  // of the links of each place, and the end
  std::vector<place_link> links_;
};

}  // namespace stretto::ranks
