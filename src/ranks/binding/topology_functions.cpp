// topology_functions.cpp - functions that create communicators with topologies.
#include <span>
#include <utility>
#include <vector>

#include "ranks/binding/creation.hpp"
#include "ranks/binding/topology_arguments.hpp"

namespace stretto::ranks {

namespace {

void check_one_group(const communicator& comm) {
  if (!comm.is_intercommunicator()) return;
  throw call_error(error_class::comm, "a topology of an intercommunicator is not defined");
}

created_communicator arranged(communicator& parent, topology arrangement) {
  check_one_group(parent);
  return arrange(parent, std::move(arrangement), creation_over(parent).site());
}

graph_topology described_graph(int nnodes, const int* index, const int* edges) {
  std::vector<int> ends = argument_list(index, nnodes, "nnodes");
  const int count = ends.empty() ? 0 : ends.back();
  return graph_topology(std::move(ends), argument_list(edges, count, "the last index"));
}

/// Weights, or an empty list where the program passes none.
std::vector<int> listed_weights(const int* weights, std::size_t count) {
  if (weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY) return {};
  return argument_list(weights, static_cast<int>(count), "the number of weights");
}

neighbor_graph described_neighbors(std::vector<int> sources, const int* source_weights, std::vector<int> destinations,
                                   const int* destination_weights) {
  neighbor_graph graph;
  graph.is_weighted = source_weights != MPI_UNWEIGHTED;
  graph.source_weights = listed_weights(source_weights, sources.size());
  graph.destination_weights = listed_weights(destination_weights, destinations.size());
  graph.sources = std::move(sources);
  graph.destinations = std::move(destinations);
  return graph;
}

/// The edges of all ranks, as MPI_Dist_graph_create gets them from each.
neighbor_graph exchanged_graph(const communicator& parent, const std::vector<weighted_edge>& own, edge_weights weights,
                               creation_exchange& exchange) {
  return collected_graph(parent.rank(), gather_lists(exchange, own), weights);
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                     MPI_Comm* comm_cart) {
  return create_by_call("MPI_Cart_create", comm_old, comm_cart,
                        [&](communicator& parent) { return arranged(parent, described_grid(ndims, dims, periods)); });
}
STRETTO_MPI_NAME(Cart_create)

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return create_by_call("MPI_Cart_sub", comm, newcomm, [&](communicator& parent) {
    const auto count = static_cast<int>(grid_of(comm).dimensions().size());
    std::vector<bool> is_kept;
    for (const int remains : argument_list(remain_dims, count, "ndims")) is_kept.push_back(remains != 0);
    return part_of_grid(parent, is_kept, creation_over(parent).site());
  });
}
STRETTO_MPI_NAME(Cart_sub)

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                      MPI_Comm* comm_graph) {
  return create_by_call("MPI_Graph_create", comm_old, comm_graph,
                        [&](communicator& parent) { return arranged(parent, described_graph(nnodes, indx, edges)); });
}
STRETTO_MPI_NAME(Graph_create)

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int* sourceweights,
                                    int outdegree, const int destinations[], const int* destweights, MPI_Info info,
                                    int reorder, MPI_Comm* comm_dist_graph) {
  return create_by_call("MPI_Dist_graph_create_adjacent", comm_old, comm_dist_graph, [&](communicator& parent) {
    neighbor_graph graph = described_neighbors(argument_list(sources, indegree, "indegree"), sourceweights,
                                               argument_list(destinations, outdegree, "outdegree"), destweights);
    check_adjacent(graph, parent.size());
    created_communicator made = arranged(parent, std::move(graph));
    made->add_hints(copied(info));
    return made;
  });
}
STRETTO_MPI_NAME(Dist_graph_create_adjacent)

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                           const int* weights, MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  return create_by_call("MPI_Dist_graph_create", comm_old, comm_dist_graph, [&](communicator& parent) {
    check_one_group(parent);
    const std::vector<int> from = argument_list(sources, n, "n"), of_each = argument_list(degrees, n, "n");
    int count = 0;
    for (const int degree : of_each) count += degree > 0 ? degree : 0;
    const std::vector<int> to = argument_list(destinations, count, "the sum of degrees");
    const std::vector<int> given = listed_weights(weights, to.size());
    const auto edges = listed_edges({from, of_each, to, given}, parent.size());
    const auto kind = weights == MPI_UNWEIGHTED ? edge_weights::none : edge_weights::given;
    creation over = creation_over(parent);
    created_communicator made = arrange(parent, exchanged_graph(parent, edges, kind, over.exchange()), over.site());
    made->add_hints(copied(info));
    return made;
  });
}
STRETTO_MPI_NAME(Dist_graph_create)

}  // extern "C"
