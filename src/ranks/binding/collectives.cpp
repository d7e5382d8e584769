// collectives.cpp - barriers, broadcasts, gathers, scatters and all-to-alls.
#include <vector>

#include "ranks/binding/collective_arguments.hpp"

namespace stretto::ranks {
namespace {

int barrier(const char* name, calling_way way, MPI_Comm comm) {
  return collective_of(name, way, {comm}, [](communicator&) { return collective_call{}; });
}

int broadcast(const char* name, calling_way way, const void* buffer, std::int64_t count, MPI_Datatype type, int root,
              MPI_Comm comm) {
  return collective_of(name, way, {comm, root, count, type}, [&](communicator& over) {
    const part_in_rooted part(over, root);
    collective_call all{collective_kind::broadcast, root};
    if (part.is_root || part.has_own) all.own = {buffer, count, &type_of_data(buffer, count, type)};
    return all;
  });
}

/// `blocks` is called where the rank has them.
template <class Blocks>
int gather(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type, int root,
           MPI_Comm comm, collective_kind kind, Blocks blocks) {
  return collective_of(name, way, {comm, root}, [&](communicator& over) {
    const part_in_rooted part(over, root);
    collective_call all{kind, root};
    if (part.has_own) all.own = data_at(sent, count, type);
    if (part.is_root) all.received = blocks();
    return all;
  });
}

template <class Blocks>
int scatter(const char* name, calling_way way, const void* received, std::int64_t count, MPI_Datatype type, int root,
            MPI_Comm comm, collective_kind kind, Blocks blocks) {
  return collective_of(name, way, {comm, root}, [&](communicator& over) {
    const part_in_rooted part(over, root);
    collective_call all{kind, root};
    if (part.has_own) all.own = data_at(received, count, type);
    if (part.is_root) all.sent = blocks();
    return all;
  });
}

int gather_equal(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type,
                 const void* all, std::int64_t each, MPI_Datatype all_type, int root, MPI_Comm comm) {
  return gather(name, way, sent, count, type, root, comm, collective_kind::gather,
                [&] { return blocks_at(all, each, all_type); });
}

template <class Count, class Displacement>
int gather_varying(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type,
                   const void* all, const Count* counts, const Displacement* displs, MPI_Datatype all_type, int root,
                   MPI_Comm comm) {
  return gather(name, way, sent, count, type, root, comm, collective_kind::gatherv,
                [&] { return block_buffer(all, counts, displs, committed(all_type)); });
}

int scatter_equal(const char* name, calling_way way, const void* all, std::int64_t each, MPI_Datatype all_type,
                  const void* received, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm) {
  return scatter(name, way, received, count, type, root, comm, collective_kind::scatter,
                 [&] { return blocks_at(all, each, all_type); });
}

template <class Count, class Displacement>
int scatter_varying(const char* name, calling_way way, const void* all, const Count* counts, const Displacement* displs,
                    MPI_Datatype all_type, const void* received, std::int64_t count, MPI_Datatype type, int root,
                    MPI_Comm comm) {
  return scatter(name, way, received, count, type, root, comm, collective_kind::scatterv,
                 [&] { return block_buffer(all, counts, displs, committed(all_type)); });
}

/// The buffers of a collective without a root.
collective_call with_blocks(collective_kind kind, const data_buffer& own, const block_buffer& sent,
                            const block_buffer& received) {
  return {kind, 0, own, sent, received};
}

int gather_equal_to_all(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type,
                        const void* all, std::int64_t each, MPI_Datatype all_type, MPI_Comm comm) {
  return collective_of(name, way, {comm, collective_arguments::no_root, each, all_type}, [&](communicator&) {
    const data_buffer own = data_at(sent, count, type);
    return with_blocks(collective_kind::allgather, own, {}, blocks_at(all, each, all_type));
  });
}

template <class Count, class Displacement>
int gather_varying_to_all(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type,
                          const void* all, const Count* counts, const Displacement* displs, MPI_Datatype all_type,
                          MPI_Comm comm) {
  return collective_of(name, way, {comm}, [&](communicator&) {
    const data_buffer own = data_at(sent, count, type);
    return with_blocks(collective_kind::allgather, own, {}, {all, counts, displs, committed(all_type)});
  });
}

int exchange_equal(const char* name, calling_way way, const void* sent, std::int64_t count, MPI_Datatype type,
                   const void* received, std::int64_t each, MPI_Datatype received_type, MPI_Comm comm) {
  return collective_of(name, way, {comm}, [&](communicator&) {
    const block_buffer into = blocks_at(received, each, received_type);
    const block_buffer from =
        sent == MPI_IN_PLACE ? block_buffer(sent, 0, committed(received_type)) : blocks_at(sent, count, type);
    return with_blocks(collective_kind::alltoall, {}, from, into);
  });
}

template <class Count, class Displacement>
int exchange_varying(const char* name, calling_way way, const void* sent, const Count* counts,
                     const Displacement* displs, MPI_Datatype type, const void* received, const Count* received_counts,
                     const Displacement* received_displs, MPI_Datatype received_type, MPI_Comm comm) {
  return collective_of(name, way, {comm}, [&](communicator&) {
    const datatype& into_type = committed(received_type);
    const block_buffer into(received, received_counts, received_displs, into_type);
    const block_buffer from =
        sent == MPI_IN_PLACE ? block_buffer(sent, 0, into_type) : block_buffer(sent, counts, displs, committed(type));
    return with_blocks(collective_kind::alltoall, {}, from, into);
  });
}

template <class Count, class Displacement>
int exchange_typed(const char* name, calling_way way, const void* sent, const Count* counts, const Displacement* displs,
                   const MPI_Datatype* types, const void* received, const Count* received_counts,
                   const Displacement* received_displs, const MPI_Datatype* received_types, MPI_Comm comm) {
  std::vector<const datatype*> into_types, from_types;  // live as long as the call
  return collective_of(name, way, {comm}, [&](communicator& over) {
    const int peers = over.members().peers().size();
    into_types = committed_types(received_types, peers);
    const block_buffer into(received, received_counts, received_displs, into_types.data());
    if (sent != MPI_IN_PLACE) from_types = committed_types(types, peers);
    const block_buffer from = sent == MPI_IN_PLACE ? block_buffer(sent, 0, *into_types.front())
                                                   : block_buffer(sent, counts, displs, from_types.data());
    return with_blocks(collective_kind::alltoall, {}, from, into);
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

#define STRETTO_BARRIER(N, D) MPI_Comm comm
#define STRETTO_BROADCAST(N, D) void *buffer, N count, MPI_Datatype type, int root, MPI_Comm comm
#define STRETTO_ROOTED(N, D)                                                                                  \
  const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, N recvcount, MPI_Datatype recvtype, \
      int root, MPI_Comm comm
#define STRETTO_GATHERV(N, D)                                                                                     \
  const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, const N recvcounts[], const D displs[], \
      MPI_Datatype recvtype, int root, MPI_Comm comm
#define STRETTO_SCATTERV(N, D)                                                                                    \
  const void *sendbuf, const N sendcounts[], const D displs[], MPI_Datatype sendtype, void *recvbuf, N recvcount, \
      MPI_Datatype recvtype, int root, MPI_Comm comm

extern "C" {

STRETTO_COLLECTIVE(Barrier, barrier, barrier, STRETTO_BARRIER, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Bcast, bcast, broadcast, STRETTO_BROADCAST, buffer, count, type, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Gather, gather, gather_equal, STRETTO_ROOTED, sendbuf, sendcount, sendtype, recvbuf,
                               recvcount, recvtype, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Gatherv, gatherv, gather_varying, STRETTO_GATHERV, sendbuf, sendcount, sendtype, recvbuf,
                               recvcounts, displs, recvtype, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Scatter, scatter, scatter_equal, STRETTO_ROOTED, sendbuf, sendcount, sendtype, recvbuf,
                               recvcount, recvtype, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Scatterv, scatterv, scatter_varying, STRETTO_SCATTERV, sendbuf, sendcounts, displs,
                               sendtype, recvbuf, recvcount, recvtype, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Allgather, allgather, gather_equal_to_all, STRETTO_EQUAL, sendbuf, sendcount, sendtype,
                               recvbuf, recvcount, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Allgatherv, allgatherv, gather_varying_to_all, STRETTO_ALLGATHERV, sendbuf, sendcount,
                               sendtype, recvbuf, recvcounts, displs, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Alltoall, alltoall, exchange_equal, STRETTO_EQUAL, sendbuf, sendcount, sendtype, recvbuf,
                               recvcount, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Alltoallv, alltoallv, exchange_varying, STRETTO_ALLTOALLV, sendbuf, sendcounts, sdispls,
                               sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Alltoallw, alltoallw, exchange_typed, STRETTO_ALLTOALLW, sendbuf, sendcounts, sdispls,
                               sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)

}  // extern "C"
