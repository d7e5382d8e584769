// topology_functions.cpp - functions that create communicators with topologies.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "ranks/binding/creation.hpp"
#include "ranks/binding/topology_arguments.hpp"
#include "ranks/communicators/place_agreement.hpp"

namespace stretto::ranks {

namespace {

void check_one_group(const communicator& comm) {
  if (!comm.is_intercommunicator()) return;
  throw call_error(error_class::comm, "a topology of an intercommunicator is not defined");
}

rank_location own_location() {
  rank* const self = rank::current();
  if (!self) return {};
  return {self->node().map().node_of(self->number()), self->wanders() ? 0 : static_cast<int>(self->worker())};
}

/// Ranks keep their order unless the program allows another one.
std::vector<int> order_of(const communicator& parent, int places, int reorder, creation& over,
                          const place_choice& choose) {
  if (!reorder) return {};
  return agreed_places(parent, places, own_location(), over.exchange(), choose);
}

/// A topology that all ranks know.
template <class Topology>
created_communicator arranged(communicator& parent, Topology arrangement, int reorder) {
  check_one_group(parent);
  creation over = creation_over(parent);
  const std::vector<int> order = order_of(parent, arrangement.size(), reorder, over,
                                          [&](auto locations) { return near_ranks(arrangement, locations); });
  return arrange(parent, std::move(arrangement), over.site(), order);
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

/// The ranks of a graph of which each rank knows its own part, and a rank's part for the place that it takes.
struct placed_graph {
  std::vector<int> order;
  int place = 0;
};

placed_graph placed(const communicator& parent, std::span<const weighted_edge> edges, int reorder, creation& over) {
  placed_graph result{{}, parent.rank()};
  result.order = order_of(parent, parent.size(), reorder, over,
                          [&](auto locations) { return near_ranks(place_graph(parent.size(), edges), locations); });
  if (!result.order.empty())
    result.place = static_cast<int>(std::ranges::find(result.order, parent.rank()) - result.order.begin());
  return result;
}

/// With an order of their own, ranks take the lists that the rank of their place has passed.
created_communicator arranged_adjacent(communicator& parent, neighbor_graph own, int reorder) {
  check_one_group(parent);
  creation over = creation_over(parent);
  if (!reorder) return arrange(parent, std::move(own), over.site());
  std::vector<neighbor_graph> all = decoded_graphs(gather_lists(over.exchange(), encoded(own)));
  const placed_graph graph = placed(parent, edges_of(all), reorder, over);
  return arrange(parent, std::move(all[static_cast<std::size_t>(graph.place)]), over.site(), graph.order);
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                     MPI_Comm* comm_cart) {
  return create_by_call("MPI_Cart_create", comm_old, comm_cart, [&](communicator& parent) {
    return arranged(parent, described_grid(ndims, dims, periods), reorder);
  });
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
  return create_by_call("MPI_Graph_create", comm_old, comm_graph, [&](communicator& parent) {
    return arranged(parent, described_graph(nnodes, indx, edges), reorder);
  });
}
STRETTO_MPI_NAME(Graph_create)

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int* sourceweights,
                                    int outdegree, const int destinations[], const int* destweights, MPI_Info info,
                                    int reorder, MPI_Comm* comm_dist_graph) {
  return create_by_call("MPI_Dist_graph_create_adjacent", comm_old, comm_dist_graph, [&](communicator& parent) {
    neighbor_graph graph = described_neighbors(argument_list(sources, indegree, "indegree"), sourceweights,
                                               argument_list(destinations, outdegree, "outdegree"), destweights);
    check_adjacent(graph, parent.size());
    created_communicator made = arranged_adjacent(parent, std::move(graph), reorder);
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
    const auto own = listed_edges({from, of_each, to, given}, parent.size());
    const auto kind = weights == MPI_UNWEIGHTED ? edge_weights::none : edge_weights::given;
    creation over = creation_over(parent);
    const std::vector<weighted_edge> edges = gather_lists(over.exchange(), own);
    const placed_graph graph = placed(parent, edges, reorder, over);
    created_communicator made = arrange(parent, collected_graph(graph.place, edges, kind), over.site(), graph.order);
    made->add_hints(copied(info));
    return made;
  });
}
STRETTO_MPI_NAME(Dist_graph_create)

}  // extern "C"
