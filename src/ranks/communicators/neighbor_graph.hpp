// neighbor_graph.hpp - a rank's own part of a graph, as MPI_Dist_graph_create and its adjacent form describe it.
//
// Threads     pure.
// Errors      call_error: argument, rank.
#pragma once

#include <span>
#include <vector>

namespace stretto::ranks {

/// The ranks from which a rank receives, and to which it sends. Without weights both lists of weights are empty.
struct neighbor_graph {
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  bool is_weighted = false;

  friend bool operator==(const neighbor_graph&, const neighbor_graph&) = default;
};

/// Throws call_error where a rank does not exist in a communicator of `size` ranks, or a weight is negative.
void check_adjacent(const neighbor_graph& graph, int size);

/// A graph as a list of numbers, which ranks exchange, and the graphs of all ranks from their lists one after another.
std::vector<int> encoded(const neighbor_graph& graph);
std::vector<neighbor_graph> decoded_graphs(std::span<const int> numbers);

struct weighted_edge {
  int source = 0;
  int destination = 0;
  int weight = 1;

  friend bool operator==(const weighted_edge&, const weighted_edge&) = default;
};

/// The arguments of a rank to MPI_Dist_graph_create.
struct edge_lists {
  std::span<const int> sources;
  std::span<const int> degrees;       // of each source
  std::span<const int> destinations;  // of the first source, then of the second, ...
  std::span<const int> weights;       // as destinations; empty without weights
};

/// The edges that a rank passes, checked for a communicator of `size` ranks.
std::vector<weighted_edge> listed_edges(const edge_lists& lists, int size);

/// Those to the destinations of each rank.
std::vector<weighted_edge> edges_of(std::span<const neighbor_graph> graphs);

enum class edge_weights { none, given };

/// The part of one rank, from the edges that all ranks pass, those of rank 0 first. Neighbours are in that order.
neighbor_graph collected_graph(int rank, std::span<const weighted_edge> edges, edge_weights weights);

}  // namespace stretto::ranks
