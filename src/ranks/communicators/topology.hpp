// topology.hpp - the arrangement of a communicator's ranks, and a rank's neighbours in it.
//
// Threads     immutable once set.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ranks/communicators/cartesian_grid.hpp"
#include "ranks/communicators/graph_topology.hpp"
#include "ranks/communicators/neighbor_graph.hpp"

namespace stretto::ranks {

using topology = std::variant<cartesian_grid, graph_topology, neighbor_graph>;

/// The result of MPI_Topo_test; the numbers are those of the ABI.
enum class topology_kind : int { cartesian = 211, graph = 212, neighbor_graph = 213 };

inline topology_kind kind_of(const topology& which) {
  return static_cast<topology_kind>(static_cast<int>(topology_kind::cartesian) + static_cast<int>(which.index()));
}

/// How many ranks it arranges; none for a neighbor_graph, which is that of one rank.
std::optional<int> places_of(const topology& which);

/// A message with a neighbour. Both sides give it the same tag, for two ranks may be neighbours several times.
struct neighbor {
  int rank = 0;  // or null_process, beyond the border of a grid
  int tag = 0;

  friend bool operator==(const neighbor&, const neighbor&) = default;
};

/// With whom a rank exchanges data in collective operations with neighbours, in the order of their buffers.
///
/// In a grid the neighbours are the ranks before and after, dimension by dimension. A block that is sent to the rank
/// before is what that rank receives from the one after it, also where both are the same rank: such messages differ by
/// their tags. In a graph messages between two ranks have the same tag and match in order.
struct neighborhood {
  std::vector<neighbor> sources;
  std::vector<neighbor> destinations;
};

neighborhood neighbors_of(const topology& which, int rank);

}  // namespace stretto::ranks
