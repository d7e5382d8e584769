// place_graph.cpp - lists the links of all places one after another.
#include "ranks/communicators/place_graph.hpp"

#include "ranks/special_ranks.hpp"

namespace stretto::ranks {

namespace {

std::vector<weighted_edge> edges_of(const cartesian_grid& grid) {
  std::vector<weighted_edge> edges;
  for (int place = 0; place < grid.size(); ++place) {
    for (int dimension = 0; dimension < std::ssize(grid.dimensions()); ++dimension) {
      const int next = grid.shift(place, dimension, 1).destination;
      if (next != null_process) edges.push_back({place, next, 1});
    }
  }
  return edges;
}

std::vector<weighted_edge> edges_of(const graph_topology& graph) {
  std::vector<weighted_edge> edges;
  for (int place = 0; place < graph.size(); ++place) {
    for (const int neighbor : graph.neighbors(place)) edges.push_back({place, neighbor, 1});
  }
  return edges;
}

}  // namespace

place_graph::place_graph(int places, std::span<const weighted_edge> edges)
    : begins_(static_cast<std::size_t>(places) + 1) {
  const auto for_each_link = [&](auto visit) {
    for (const auto& [source, destination, weight] : edges) {
      if (source == destination) continue;
      visit(static_cast<std::size_t>(source), destination, weight);
      visit(static_cast<std::size_t>(destination), source, weight);
    }
  };
  for_each_link([&](std::size_t place, int, int) { ++begins_[place + 1]; });
  for (std::size_t place = 1; place < begins_.size(); ++place) begins_[place] += begins_[place - 1];
  links_.resize(begins_.back());
  std::vector<std::size_t> ends(begins_.begin(), begins_.end());
  for_each_link([&](std::size_t place, int other, int weight) { links_[ends[place]++] = {other, weight}; });
}

place_graph::place_graph(const cartesian_grid& grid) : place_graph(grid.size(), edges_of(grid)) {}
place_graph::place_graph(const graph_topology& graph) : place_graph(graph.size(), edges_of(graph)) {}

}  // namespace stretto::ranks
