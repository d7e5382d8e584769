// collective_arguments.hpp - the three ways to call a collective, and its buffers.
//
// Threads     those of the calling rank.
// Errors      call_error: count, type, buffer. Buffers that a rank neither sends nor receives are not read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/call_texts.hpp"
#include "ranks/binding/checked_collectives.hpp"
#include "ranks/binding/operation_handles.hpp"
#include "ranks/heap/readonly_buffers.hpp"
#include "ranks/heap/readonly_collective.hpp"
#include "ranks/process/collective_request.hpp"

namespace stretto::ranks {

/// MPI_Bcast returns when the collective has ended; MPI_Ibcast and MPI_Bcast_init return a request.
struct calling_way {
  enum class kind { blocking, nonblocking, persistent } which = kind::blocking;
  MPI_Request* request = nullptr;
};
inline calling_way nonblocking(MPI_Request* made) { return {calling_way::kind::nonblocking, made}; }
inline calling_way persistent(MPI_Request* made) { return {calling_way::kind::persistent, made}; }

/// Begins or prepares a collective whose schedule is built.
void complete_call(collective_owner collective, calling_way way);

/// `build` appends the steps of the calling rank, for a collective of neighbours.
template <class Build>
int collective(const char* name, calling_way way, const collective_arguments& a, Build build) noexcept {
  return call(name, a.comm, details_of(a), [&] {
    communicator& over = object_of(a.comm);
    collective_owner one = make_collective(over);
    if (usage_check::is_on) [[unlikely]]
      usage_check::begins(a, over, one->tag());
    build(*one, over);
    complete_call(std::move(one), way);
  });
}

/// `arguments` returns the collective_call of the calling rank, for a collective of all ranks.
template <class Arguments>
int collective_of(const char* name, calling_way way, const collective_arguments& a, Arguments arguments) noexcept {
  return call(name, a.comm, details_of(a), [&] {
    communicator& over = object_of(a.comm);
    collective_call all = arguments(over);
    if (has_readonly_buffers() && !over.is_intercommunicator()) [[unlikely]]
      add_readonly(all, over.rank());
    // Checks compare the calls of ranks by the tags of their messages.
    if (way.which == calling_way::kind::blocking && !usage_check::is_on) return perform(over, all);
    collective_owner one = make_collective(over);
    if (usage_check::is_on) [[unlikely]]
      usage_check::begins(a, over, one->tag());
    build(one->steps(), one->group(), all);
    complete_call(std::move(one), way);
  });
}

/// `count` elements, or nothing for MPI_IN_PLACE.
data_buffer data_at(const void* buffer, std::int64_t count, MPI_Datatype type);
/// Blocks of `count` elements.
block_buffer blocks_at(const void* buffer, std::int64_t count, MPI_Datatype type);

std::vector<const datatype*> committed_types(const MPI_Datatype* types, int count);

/// The part of a rank in a collective with a root.
struct part_in_rooted {
  part_in_rooted(const communicator& over, int root);

  bool is_root;          // has the data of all
  bool has_own = false;  // has data of its own; in intercommunicators only ranks of the other group do
};

/// The definitions of a collective: blocking, non-blocking and persistent, with usual and with large counts. PARAMETERS
/// is a macro of the types of counts and displacements.
#define STRETTO_COLLECTIVE(Name, name, function, PARAMETERS, ...)                                      \
  int PMPI_##Name(PARAMETERS(int, int)) { return function("MPI_" #Name, calling_way{}, __VA_ARGS__); } \
  STRETTO_MPI_NAME(Name)                                                                               \
  int PMPI_I##name(PARAMETERS(int, int), MPI_Request* request) {                                       \
    return function("MPI_I" #name, nonblocking(request), __VA_ARGS__);                                 \
  }                                                                                                    \
  STRETTO_MPI_NAME(I##name)                                                                            \
  int PMPI_##Name##_init(PARAMETERS(int, int), MPI_Info, MPI_Request* request) {                       \
    return function("MPI_" #Name "_init", persistent(request), __VA_ARGS__);                           \
  }                                                                                                    \
  STRETTO_MPI_NAME(Name##_init)

#define STRETTO_COLLECTIVE_WITH_COUNTS(Name, name, function, PARAMETERS, ...)                 \
  STRETTO_COLLECTIVE(Name, name, function, PARAMETERS, __VA_ARGS__)                           \
  int PMPI_##Name##_c(PARAMETERS(MPI_Count, MPI_Aint)) {                                      \
    return function("MPI_" #Name "_c", calling_way{}, __VA_ARGS__);                           \
  }                                                                                           \
  STRETTO_MPI_NAME(Name##_c)                                                                  \
  int PMPI_I##name##_c(PARAMETERS(MPI_Count, MPI_Aint), MPI_Request* request) {               \
    return function("MPI_I" #name "_c", nonblocking(request), __VA_ARGS__);                   \
  }                                                                                           \
  STRETTO_MPI_NAME(I##name##_c)                                                               \
  int PMPI_##Name##_init_c(PARAMETERS(MPI_Count, MPI_Aint), MPI_Info, MPI_Request* request) { \
    return function("MPI_" #Name "_init_c", persistent(request), __VA_ARGS__);                \
  }                                                                                           \
  STRETTO_MPI_NAME(Name##_init_c)

// Parameters that collectives of all ranks and those of neighbours have.
#define STRETTO_EQUAL(N, D)                                                                                   \
  const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, N recvcount, MPI_Datatype recvtype, \
      MPI_Comm comm
#define STRETTO_ALLGATHERV(N, D)                                                                                  \
  const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, const N recvcounts[], const D displs[], \
      MPI_Datatype recvtype, MPI_Comm comm
#define STRETTO_ALLTOALLV(N, D)                                                                       \
  const void *sendbuf, const N sendcounts[], const D sdispls[], MPI_Datatype sendtype, void *recvbuf, \
      const N recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define STRETTO_ALLTOALLW(N, D)                                                                                \
  const void *sendbuf, const N sendcounts[], const D sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, \
      const N recvcounts[], const D rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm

}  // namespace stretto::ranks
