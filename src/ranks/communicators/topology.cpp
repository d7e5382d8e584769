// topology.cpp - neighbours in each kind of topology.
#include "ranks/communicators/topology.hpp"

#include <span>

namespace stretto::ranks {

namespace {

std::vector<neighbor> listed(std::span<const int> ranks) {
  std::vector<neighbor> neighbors;
  neighbors.reserve(ranks.size());
  for (const int rank : ranks) neighbors.push_back({rank, 0});
  return neighbors;
}

neighborhood neighbors_in(const cartesian_grid& grid, int rank) {
  neighborhood all;
  for (int dimension = 0; dimension < std::ssize(grid.dimensions()); ++dimension) {
    const auto [before, after] = grid.shift(rank, dimension, 1);
    const int downwards = 2 * dimension, upwards = downwards + 1;  // tags, by direction
    all.sources.push_back({before, upwards});
    all.sources.push_back({after, downwards});
    all.destinations.push_back({before, downwards});
    all.destinations.push_back({after, upwards});
  }
  return all;
}

neighborhood neighbors_in(const graph_topology& graph, int rank) {
  return {listed(graph.neighbors(rank)), listed(graph.neighbors(rank))};
}

neighborhood neighbors_in(const neighbor_graph& graph, int) {
  return {listed(graph.sources), listed(graph.destinations)};
}

std::optional<int> places_in(const neighbor_graph&) { return std::nullopt; }
std::optional<int> places_in(const auto& other) { return other.size(); }

}  // namespace

std::optional<int> places_of(const topology& which) {
  return std::visit([](const auto& each) { return places_in(each); }, which);
}

neighborhood neighbors_of(const topology& which, int rank) {
  return std::visit([&](const auto& each) { return neighbors_in(each, rank); }, which);
}

}  // namespace stretto::ranks
