// reductions.cpp - reductions and scans.
#include "ranks/binding/collective_arguments.hpp"

namespace stretto::ranks {
namespace {

struct reduction_arguments {
  const void* in;
  void* out;
  std::int64_t count;
  MPI_Datatype type;
  MPI_Op operation;

  reduction_buffers checked() const {
    const void* const own = in == MPI_IN_PLACE ? out : in;
    return {in == MPI_IN_PLACE ? in_place_buffer() : in, out, count, &type_of_data(own, count, type),
            &object_of(operation)};
  }
};

collective_call reduction_of(collective_kind kind, const reduction_buffers& values, int root = 0) {
  collective_call all{kind, root};
  all.values = values;
  return all;
}

int reduce(const char* name, calling_way way, const reduction_arguments& a, int root, MPI_Comm comm) {
  return collective_of(name, way, {comm, root, a.count, a.type, a.operation}, [&](communicator& over) {
    const part_in_rooted part(over, root);
    reduction_buffers values;
    if (part.has_own) {
      values = a.checked();
    } else if (part.is_root) {  // of an intercommunicator: only the result is its own
      values = {nullptr, a.out, a.count, &type_of_data(a.out, a.count, a.type), &object_of(a.operation)};
    }
    return reduction_of(collective_kind::reduce, values, root);
  });
}

int allreduce(const char* name, calling_way way, const reduction_arguments& a, MPI_Comm comm) {
  return collective_of(name, way, {comm, collective_arguments::no_root, a.count, a.type, a.operation},
                       [&](communicator&) { return reduction_of(collective_kind::allreduce, a.checked()); });
}

template <class Count>
int reduce_scatter(const char* name, calling_way way, const void* in, void* out, const Count* counts, MPI_Datatype type,
                   MPI_Op operation, MPI_Comm comm) {
  return collective_of(name, way, {comm, collective_arguments::no_root, -1, type, operation}, [&](communicator& over) {
    std::int64_t sum = 0;
    for (int i = 0; i < over.size(); ++i) sum += counts[i];
    collective_call all =
        reduction_of(collective_kind::reduce_scatter, reduction_arguments{in, out, sum, type, operation}.checked());
    all.counts = counts;
    return all;
  });
}

int reduce_scatter_block(const char* name, calling_way way, const reduction_arguments& a, MPI_Comm comm) {
  return collective_of(name, way, {comm, collective_arguments::no_root, a.count, a.type, a.operation},
                       [&](communicator&) { return reduction_of(collective_kind::reduce_scatter_block, a.checked()); });
}

int scan_of(collective_kind kind, const char* name, calling_way way, const reduction_arguments& a, MPI_Comm comm) {
  return collective_of(name, way, {comm, collective_arguments::no_root, a.count, a.type, a.operation},
                       [&](communicator& over) {
                         if (over.is_intercommunicator())
                           throw call_error(error_class::comm,
                                            "the communicator is an intercommunicator, on which scans are not defined");
                         return reduction_of(kind, a.checked());
                       });
}

int scan(const char* name, calling_way way, const reduction_arguments& a, MPI_Comm comm) {
  return scan_of(collective_kind::scan, name, way, a, comm);
}

int exscan(const char* name, calling_way way, const reduction_arguments& a, MPI_Comm comm) {
  return scan_of(collective_kind::exscan, name, way, a, comm);
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

#define STRETTO_REDUCE(N, D) \
  const void *sendbuf, void *recvbuf, N count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
#define STRETTO_REDUCE_TO_ALL(N, D) \
  const void *sendbuf, void *recvbuf, N count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define STRETTO_REDUCE_SCATTER(N, D) \
  const void *sendbuf, void *recvbuf, const N recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm

extern "C" {

STRETTO_COLLECTIVE_WITH_COUNTS(Reduce, reduce, reduce, STRETTO_REDUCE,
                               reduction_arguments{sendbuf, recvbuf, count, type, op}, root, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Allreduce, allreduce, allreduce, STRETTO_REDUCE_TO_ALL,
                               reduction_arguments{sendbuf, recvbuf, count, type, op}, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Reduce_scatter, reduce_scatter, reduce_scatter, STRETTO_REDUCE_SCATTER, sendbuf, recvbuf,
                               recvcounts, type, op, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Reduce_scatter_block, reduce_scatter_block, reduce_scatter_block, STRETTO_REDUCE_TO_ALL,
                               reduction_arguments{sendbuf, recvbuf, count, type, op}, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Scan, scan, scan, STRETTO_REDUCE_TO_ALL,
                               reduction_arguments{sendbuf, recvbuf, count, type, op}, comm)
STRETTO_COLLECTIVE_WITH_COUNTS(Exscan, exscan, exscan, STRETTO_REDUCE_TO_ALL,
                               reduction_arguments{sendbuf, recvbuf, count, type, op}, comm)

}  // extern "C"
