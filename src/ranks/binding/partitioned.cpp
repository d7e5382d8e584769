// partitioned.cpp - functions of messages whose data is made, or used, in partitions.
#include <utility>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/messages/partitioned_request.hpp"

namespace stretto::ranks {
namespace {

struct partitioned_data {
  const void* buffer;
  int partitions;
  std::int64_t count;  // of a partition
  MPI_Datatype type;

  typed_buffer whole() const {
    if (partitions < 0) throw call_error(error_class::count, "partitions is " + std::to_string(partitions));
    if (count < 0) throw call_error(error_class::count, "count is " + std::to_string(count));
    return {buffer, product(partitions, count), type};
  }
};

/// Partitioned messages match in the order of their calls, and no others.
envelope partitioned(envelope message, const communicator& comm) {
  return {partitioned_context(comm.members().number), message.source(), message.tag()};
}

MPI_Request new_request(message_side side, int partitions, request_owner whole, const communicator& comm) {
  return handle_of(request_owner(new partitioned_request(side, partitions, std::move(whole), comm.numbers())));
}

int make_partitioned_send(const char* name, const partitioned_data& data, int dest, int tag, MPI_Comm comm,
                          MPI_Request* made) {
  return call(name, comm, [&] {
    communicator& of = object_of(comm);
    const typed_buffer buffer = data.whole();
    const send_target target(of, dest, tag);
    required(made, "request") =
        new_request(message_side::send, data.partitions,
                    make_send({target.to, partitioned(target.message, of), buffer.data()}, buffer.kept_type()), of);
  });
}

int make_partitioned_receive(const char* name, const partitioned_data& data, int source, int tag, MPI_Comm comm,
                             MPI_Request* made) {
  return call(name, comm, [&] {
    communicator& of = object_of(comm);
    const typed_buffer buffer = data.whole();
    if (source == any_source) throw call_error(error_class::rank, "the source is MPI_ANY_SOURCE");
    if (tag == any_tag) throw call_error(error_class::tag, "the tag is MPI_ANY_TAG");
    const envelope pattern = partitioned(receive_pattern(of, source, tag), of);
    required(made, "request") =
        new_request(message_side::receive, data.partitions,
                    make_receive({caller().messages(), pattern, buffer.data()}, buffer.kept_type()), of);
  });
}

partitioned_request& existing_partitioned(MPI_Request handle) {
  auto* const one = partitioned_request::of(existing_request(handle));
  if (!one) throw call_error(error_class::request, "the request is none of a partitioned message");
  return *one;
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Psend_init(const void* buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Info, MPI_Request* request) {
  return make_partitioned_send("MPI_Psend_init", {buf, partitions, count, datatype}, dest, tag, comm, request);
}
STRETTO_MPI_NAME(Psend_init)

int PMPI_Psend_init_c(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return make_partitioned_send("MPI_Psend_init_c", {buf, partitions, count, datatype}, dest, tag, comm, request);
}
STRETTO_MPI_NAME(Psend_init_c)

int PMPI_Precv_init(void* buf, int partitions, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Info, MPI_Request* request) {
  return make_partitioned_receive("MPI_Precv_init", {buf, partitions, count, datatype}, source, tag, comm, request);
}
STRETTO_MPI_NAME(Precv_init)

int PMPI_Precv_init_c(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                      MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return make_partitioned_receive("MPI_Precv_init_c", {buf, partitions, count, datatype}, source, tag, comm, request);
}
STRETTO_MPI_NAME(Precv_init_c)

int PMPI_Pready(int partition, MPI_Request request) {
  return call("MPI_Pready", [&] { existing_partitioned(request).ready(partition); });
}
STRETTO_MPI_NAME(Pready)

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  return call("MPI_Pready_range", [&] {
    partitioned_request& one = existing_partitioned(request);
    for (int i = partition_low; i <= partition_high; ++i) one.ready(i);
  });
}
STRETTO_MPI_NAME(Pready_range)

int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  return call("MPI_Pready_list", [&] {
    partitioned_request& one = existing_partitioned(request);
    for (int i = 0; i < length; ++i) one.ready(array_of_partitions[i]);
  });
}
STRETTO_MPI_NAME(Pready_list)

int PMPI_Parrived(MPI_Request request, int partition, int* flag) {
  return call("MPI_Parrived", [&] { required(flag, "flag") = existing_partitioned(request).has_arrived(partition); });
}
STRETTO_MPI_NAME(Parrived)

}  // extern "C"
