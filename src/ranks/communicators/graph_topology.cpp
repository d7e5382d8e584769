// graph_topology.cpp - checks the lists of a graph.
#include "ranks/communicators/graph_topology.hpp"

#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

graph_topology::graph_topology(std::vector<int> index, std::vector<int> edges)
    : index_(std::move(index)), edges_(std::move(edges)) {
  int before = 0;
  for (std::size_t i = 0; i < index_.size(); ++i) {
    if (index_[i] < before) {
      throw call_error(error_class::argument, "index " + std::to_string(i) + " is " + std::to_string(index_[i]) +
                                                  ", less than the one before");
    }
    before = index_[i];
  }
  if (before > std::ssize(edges_)) throw call_error(error_class::argument, "there are fewer edges than the index says");
  for (const int neighbor : edges_) {
    if (neighbor >= 0 && neighbor < size()) continue;
    throw call_error(error_class::argument, "an edge leads to node " + std::to_string(neighbor) + " of a graph with " +
                                                std::to_string(size()) + " nodes");
  }
}

std::span<const int> graph_topology::neighbors(int rank) const {
  if (rank < 0 || rank >= size()) {
    throw call_error(error_class::rank,
                     "rank " + std::to_string(rank) + " of a graph with " + std::to_string(size()) + " nodes");
  }
  const int begin = rank == 0 ? 0 : index_[static_cast<std::size_t>(rank) - 1];
  const int end = index_[static_cast<std::size_t>(rank)];
  return std::span(edges_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

}  // namespace stretto::ranks
