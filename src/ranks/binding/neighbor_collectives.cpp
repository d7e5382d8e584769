// neighbor_collectives.cpp - collectives of the neighbours in a topology.
#include <vector>

#include "ranks/binding/collective_arguments.hpp"
#include "ranks/call_error.hpp"

namespace stretto::ranks {
namespace {

/// The ranks of a rank's neighbours, as builders of schedules take them.
class listed_neighbors {
 public:
  explicit listed_neighbors(const communicator& over) {
    const topology* const arrangement = over.arrangement();
    if (!arrangement) throw call_error(error_class::topology, "the communicator has no topology");
    const neighborhood all = neighbors_of(*arrangement, over.rank());
    for (const auto& one : all.sources) sources_.push_back(one.rank);
    for (const auto& one : all.destinations) destinations_.push_back(one.rank);
    is_grid_ = kind_of(*arrangement) == topology_kind::cartesian;
  }

  neighbor_ranks lists() const {
    return {sources_, destinations_, is_grid_ ? neighbor_order::cartesian : neighbor_order::listed};
  }
  int sources() const { return static_cast<int>(sources_.size()); }
  int destinations() const { return static_cast<int>(destinations_.size()); }

 private:
  std::vector<int> sources_, destinations_;
  bool is_grid_ = false;
};

int gather_equal_with_neighbors(const char* name, calling_way way, const void* sent, std::int64_t count,
                                MPI_Datatype type, const void* received, std::int64_t each, MPI_Datatype received_type,
                                MPI_Comm comm) {
  return collective(name, way, {comm}, [&](collective_request& one, communicator& over) {
    build_neighbor_allgather(one.steps(), listed_neighbors(over).lists(), data_at(sent, count, type),
                             blocks_at(received, each, received_type));
  });
}

template <class Count, class Displacement>
int gather_varying_with_neighbors(const char* name, calling_way way, const void* sent, std::int64_t count,
                                  MPI_Datatype type, const void* received, const Count* counts,
                                  const Displacement* displs, MPI_Datatype received_type, MPI_Comm comm) {
  return collective(name, way, {comm}, [&](collective_request& one, communicator& over) {
    build_neighbor_allgather(one.steps(), listed_neighbors(over).lists(), data_at(sent, count, type),
                             block_buffer(received, counts, displs, committed(received_type)));
  });
}

int exchange_equal_with_neighbors(const char* name, calling_way way, const void* sent, std::int64_t count,
                                  MPI_Datatype type, const void* received, std::int64_t each,
                                  MPI_Datatype received_type, MPI_Comm comm) {
  return collective(name, way, {comm}, [&](collective_request& one, communicator& over) {
    build_neighbor_alltoall(one.steps(), listed_neighbors(over).lists(), blocks_at(sent, count, type),
                            blocks_at(received, each, received_type));
  });
}

template <class Count, class Displacement>
int exchange_varying_with_neighbors(const char* name, calling_way way, const void* sent, const Count* counts,
                                    const Displacement* displs, MPI_Datatype type, const void* received,
                                    const Count* received_counts, const Displacement* received_displs,
                                    MPI_Datatype received_type, MPI_Comm comm) {
  return collective(name, way, {comm}, [&](collective_request& one, communicator& over) {
    build_neighbor_alltoall(one.steps(), listed_neighbors(over).lists(),
                            block_buffer(sent, counts, displs, committed(type)),
                            block_buffer(received, received_counts, received_displs, committed(received_type)));
  });
}

template <class Count>
int exchange_typed_with_neighbors(const char* name, calling_way way, const void* sent, const Count* counts,
                                  const MPI_Aint* displs, const MPI_Datatype* types, const void* received,
                                  const Count* received_counts, const MPI_Aint* received_displs,
                                  const MPI_Datatype* received_types, MPI_Comm comm) {
  return collective(name, way, {comm}, [&](collective_request& one, communicator& over) {
    const listed_neighbors neighbors(over);
    const auto from = committed_types(types, neighbors.destinations());
    const auto into = committed_types(received_types, neighbors.sources());
    build_neighbor_alltoall(one.steps(), neighbors.lists(), block_buffer(sent, counts, displs, from.data()),
                            block_buffer(received, received_counts, received_displs, into.data()));
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

// Displacements of several types are addresses, whatever the counts are.
#define STRETTO_NEIGHBOR_ALLTOALLW(N, D) STRETTO_ALLTOALLW(N, MPI_Aint)

extern "C" {

STRETTO_COLLECTIVE_WITH_COUNTS(Neighbor_allgather, neighbor_allgather, gather_equal_with_neighbors, STRETTO_EQUAL,
                               sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Neighbor_allgatherv, neighbor_allgatherv, gather_varying_with_neighbors,
                               STRETTO_ALLGATHERV, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                               comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Neighbor_alltoall, neighbor_alltoall, exchange_equal_with_neighbors, STRETTO_EQUAL,
                               sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Neighbor_alltoallv, neighbor_alltoallv, exchange_varying_with_neighbors,
                               STRETTO_ALLTOALLV, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                               recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Neighbor_alltoallw, neighbor_alltoallw, exchange_typed_with_neighbors,
                               STRETTO_NEIGHBOR_ALLTOALLW, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                               rdispls, recvtypes, comm)

}  // extern "C"
