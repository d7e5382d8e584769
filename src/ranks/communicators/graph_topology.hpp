// graph_topology.hpp - ranks as nodes of a graph that all ranks know, as MPI_Graph_create describes it.
//
// Threads     immutable.
// Errors      call_error: argument, rank.
#pragma once

#include <span>
#include <vector>

namespace stretto::ranks {

class graph_topology {
 public:
  /// index[i] is the number of neighbours of the nodes 0 to i; `edges` are the neighbours of node 0, then those of
  /// node 1, and so on. A node may be a neighbour of itself, or several times of another.
  graph_topology(std::vector<int> index, std::vector<int> edges);

  int size() const { return static_cast<int>(index_.size()); }
  const std::vector<int>& index() const { return index_; }
  const std::vector<int>& edges() const { return edges_; }
  std::span<const int> neighbors(int rank) const;

 private:
  std::vector<int> index_;
  std::vector<int> edges_;
};

}  // namespace stretto::ranks
