// topologies.cpp - functions that ask a topology, and those that compute one without the other ranks.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/binding/call.hpp"
#include "ranks/binding/topology_arguments.hpp"
#include "ranks/communicators/dimensions.hpp"

namespace stretto::ranks {

namespace {

const graph_topology& graph_of(MPI_Comm comm) { return topology_of<graph_topology>(comm, "graph"); }
const neighbor_graph& neighbors_in(MPI_Comm comm) { return topology_of<neighbor_graph>(comm, "distributed graph"); }

/// As many entries as a program has place for.
void write_list(std::span<const int> list, int place, int* target, const char* name) {
  const auto count = std::min(list.size(), static_cast<std::size_t>(std::max(place, 0)));
  if (count > 0) std::copy_n(list.begin(), count, &required(target, name));
}

void check_place(const cartesian_grid& grid, int maxdims) {
  if (maxdims >= std::ssize(grid.dimensions())) return;
  throw call_error(error_class::argument, "maxdims is " + std::to_string(maxdims) + ", and the grid has " +
                                              std::to_string(grid.dimensions().size()) + " dimensions");
}

/// The rank in a topology of `size` places, in which ranks keep their order.
int place_in(const communicator& comm, int size) {
  if (size > comm.size()) {
    throw call_error(error_class::topology, "the topology has " + std::to_string(size) +
                                                " places, and the communicator " + std::to_string(comm.size()) +
                                                " ranks");
  }
  return comm.rank() < size ? comm.rank() : MPI_UNDEFINED;
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Topo_test(MPI_Comm comm, int* status) {
  return call("MPI_Topo_test", comm, [&] {
    const topology* arrangement = object_of(comm).arrangement();
    required(status, "status") = arrangement ? static_cast<int>(kind_of(*arrangement)) : MPI_UNDEFINED;
  });
}
STRETTO_MPI_NAME(Topo_test)

int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  return call("MPI_Dims_create", [&] {
    if (ndims < 0) throw call_error(error_class::dims, "ndims is " + std::to_string(ndims));
    if (ndims > 0) required(dims, "dims");
    choose_dimensions(nnodes, {dims, static_cast<std::size_t>(ndims)});
  });
}
STRETTO_MPI_NAME(Dims_create)

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  return call("MPI_Cartdim_get", comm,
              [&] { required(ndims, "ndims") = static_cast<int>(grid_of(comm).dimensions().size()); });
}
STRETTO_MPI_NAME(Cartdim_get)

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  return call("MPI_Cart_get", comm, [&] {
    const cartesian_grid& grid = grid_of(comm);
    check_place(grid, maxdims);
    write_list(grid.coordinates_of(object_of(comm).rank()), maxdims, coords, "coords");
    for (std::size_t i = 0; i < grid.dimensions().size(); ++i) {
      (&required(dims, "dims"))[i] = grid.dimensions()[i].size;
      (&required(periods, "periods"))[i] = grid.dimensions()[i].is_periodic;
    }
  });
}
STRETTO_MPI_NAME(Cart_get)

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  return call("MPI_Cart_rank", comm, [&] {
    const cartesian_grid& grid = grid_of(comm);
    if (!grid.dimensions().empty()) required(coords, "coords");
    required(rank, "rank") = grid.rank_of({coords, grid.dimensions().size()});
  });
}
STRETTO_MPI_NAME(Cart_rank)

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  return call("MPI_Cart_coords", comm, [&] {
    const cartesian_grid& grid = grid_of(comm);
    const std::vector<int> coordinates = grid.coordinates_of(rank);
    check_place(grid, maxdims);
    write_list(coordinates, maxdims, coords, "coords");
  });
}
STRETTO_MPI_NAME(Cart_coords)

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  return call("MPI_Cart_shift", comm, [&] {
    const grid_shift shift = grid_of(comm).shift(object_of(comm).rank(), direction, disp);
    required(rank_source, "rank_source") = shift.source;
    required(rank_dest, "rank_dest") = shift.destination;
  });
}
STRETTO_MPI_NAME(Cart_shift)

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  return call("MPI_Cart_map", comm, [&] {
    required(newrank, "newrank") = place_in(object_of(comm), described_grid(ndims, dims, periods).size());
  });
}
STRETTO_MPI_NAME(Cart_map)

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int* newrank) {
  return call("MPI_Graph_map", comm, [&] {
    if (nnodes < 0) throw call_error(error_class::argument, "nnodes is " + std::to_string(nnodes));
    required(newrank, "newrank") = place_in(object_of(comm), nnodes);
  });
}
STRETTO_MPI_NAME(Graph_map)

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  return call("MPI_Graphdims_get", comm, [&] {
    required(nnodes, "nnodes") = graph_of(comm).size();
    required(nedges, "nedges") = static_cast<int>(graph_of(comm).edges().size());
  });
}
STRETTO_MPI_NAME(Graphdims_get)

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]) {
  return call("MPI_Graph_get", comm, [&] {
    write_list(graph_of(comm).index(), maxindex, indx, "index");
    write_list(graph_of(comm).edges(), maxedges, edges, "edges");
  });
}
STRETTO_MPI_NAME(Graph_get)

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  return call("MPI_Graph_neighbors_count", comm,
              [&] { required(nneighbors, "nneighbors") = static_cast<int>(graph_of(comm).neighbors(rank).size()); });
}
STRETTO_MPI_NAME(Graph_neighbors_count)

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  return call("MPI_Graph_neighbors", comm,
              [&] { write_list(graph_of(comm).neighbors(rank), maxneighbors, neighbors, "neighbors"); });
}
STRETTO_MPI_NAME(Graph_neighbors)

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  return call("MPI_Dist_graph_neighbors_count", comm, [&] {
    const neighbor_graph& graph = neighbors_in(comm);
    required(indegree, "indegree") = static_cast<int>(graph.sources.size());
    required(outdegree, "outdegree") = static_cast<int>(graph.destinations.size());
    required(weighted, "weighted") = graph.is_weighted;
  });
}
STRETTO_MPI_NAME(Dist_graph_neighbors_count)

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int* sourceweights, int maxoutdegree,
                              int destinations[], int* destweights) {
  return call("MPI_Dist_graph_neighbors", comm, [&] {
    const neighbor_graph& graph = neighbors_in(comm);
    write_list(graph.sources, maxindegree, sources, "sources");
    write_list(graph.destinations, maxoutdegree, destinations, "destinations");
    if (!graph.is_weighted) return;
    if (sourceweights != MPI_UNWEIGHTED) write_list(graph.source_weights, maxindegree, sourceweights, "sourceweights");
    if (destweights != MPI_UNWEIGHTED) write_list(graph.destination_weights, maxoutdegree, destweights, "destweights");
  });
}
STRETTO_MPI_NAME(Dist_graph_neighbors)

}  // extern "C"
