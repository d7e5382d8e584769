// neighbor_graph.cpp - collects the edges of one rank.
#include "ranks/communicators/neighbor_graph.hpp"

#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

void check_neighbor(int rank, int size) {
  if (rank >= 0 && rank < size) return;
  throw call_error(error_class::rank, "an edge names rank " + std::to_string(rank) + " of a communicator with " +
                                          std::to_string(size) + " ranks");
}

void check_weight(int weight) {
  if (weight < 0) throw call_error(error_class::argument, "the weight of an edge is " + std::to_string(weight));
}

/// Takes numbers from the front of a list.
class number_reader {
 public:
  explicit number_reader(std::span<const int> numbers) : left_(numbers) {}

  bool is_at_end() const { return left_.empty(); }
  int next() { return list(1)[0]; }
  std::vector<int> list(int size) {
    const auto first = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(first.size());
    return {first.begin(), first.end()};
  }

 private:
  std::span<const int> left_;
};

}  // namespace

void check_adjacent(const neighbor_graph& graph, int size) {
  for (const int rank : graph.sources) check_neighbor(rank, size);
  for (const int rank : graph.destinations) check_neighbor(rank, size);
  for (const int weight : graph.source_weights) check_weight(weight);
  for (const int weight : graph.destination_weights) check_weight(weight);
}

std::vector<int> encoded(const neighbor_graph& graph) {
  std::vector<int> numbers{static_cast<int>(graph.is_weighted), static_cast<int>(graph.sources.size()),
                           static_cast<int>(graph.source_weights.size()), static_cast<int>(graph.destinations.size()),
                           static_cast<int>(graph.destination_weights.size())};
  for (const auto* list : {&graph.sources, &graph.source_weights, &graph.destinations, &graph.destination_weights})
    numbers.insert(numbers.end(), list->begin(), list->end());
  return numbers;
}

std::vector<neighbor_graph> decoded_graphs(std::span<const int> numbers) {
  std::vector<neighbor_graph> graphs;
  for (number_reader reader(numbers); !reader.is_at_end();) {
    neighbor_graph& graph = graphs.emplace_back();
    graph.is_weighted = reader.next() != 0;
    const std::vector<int> sizes = reader.list(4);
    graph.sources = reader.list(sizes[0]);
    graph.source_weights = reader.list(sizes[1]);
    graph.destinations = reader.list(sizes[2]);
    graph.destination_weights = reader.list(sizes[3]);
  }
  return graphs;
}

std::vector<weighted_edge> listed_edges(const edge_lists& lists, int size) {
  std::vector<weighted_edge> edges;
  for (std::size_t i = 0; i < lists.sources.size(); ++i) {
    check_neighbor(lists.sources[i], size);
    if (lists.degrees[i] < 0) {
      throw call_error(error_class::argument,
                       "degree " + std::to_string(i) + " is " + std::to_string(lists.degrees[i]));
    }
    for (int n = 0; n < lists.degrees[i]; ++n) {
      const std::size_t place = edges.size();
      check_neighbor(lists.destinations[place], size);
      const int weight = lists.weights.empty() ? 1 : lists.weights[place];
      check_weight(weight);
      edges.push_back({lists.sources[i], lists.destinations[place], weight});
    }
  }
  return edges;
}

std::vector<weighted_edge> edges_of(std::span<const neighbor_graph> graphs) {
  std::vector<weighted_edge> edges;
  for (std::size_t rank = 0; rank < graphs.size(); ++rank) {
    const auto& [sources, source_weights, destinations, weights, is_weighted] = graphs[rank];
    for (std::size_t i = 0; i < destinations.size(); ++i)
      edges.push_back({static_cast<int>(rank), destinations[i], weights.empty() ? 1 : weights[i]});
  }
  return edges;
}

neighbor_graph collected_graph(int rank, std::span<const weighted_edge> edges, edge_weights weights) {
  neighbor_graph graph;
  graph.is_weighted = weights == edge_weights::given;
  for (const weighted_edge& edge : edges) {
    if (edge.destination == rank) {
      graph.sources.push_back(edge.source);
      if (graph.is_weighted) graph.source_weights.push_back(edge.weight);
    }
    if (edge.source == rank) {
      graph.destinations.push_back(edge.destination);
      if (graph.is_weighted) graph.destination_weights.push_back(edge.weight);
    }
  }
  return graph;
}

}  // namespace stretto::ranks
