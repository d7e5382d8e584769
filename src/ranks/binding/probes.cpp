// probes.cpp - probes, matched probes and their receives.
#include "ranks/binding/arguments.hpp"
#include "ranks/binding/busy_loop.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/call_texts.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/call_error.hpp"

namespace stretto::ranks {
namespace {

MPI_Message handle_of(const matched_message& found) {
  return found.message ? reinterpret_cast<MPI_Message>(found.message) : MPI_MESSAGE_NO_PROC;
}

/// The message of a handle, which becomes MPI_MESSAGE_NULL; null for the message of MPI_PROC_NULL.
queue_entry* taken(MPI_Message* handle) {
  MPI_Message& message = required(handle, "message");
  if (message == MPI_MESSAGE_NULL) throw call_error(error_class::request, "the message is MPI_MESSAGE_NULL");
  queue_entry* const found = message == MPI_MESSAGE_NO_PROC ? nullptr : reinterpret_cast<queue_entry*>(message);
  message = MPI_MESSAGE_NULL;
  return found;
}

int receive_message(const char* name, const void* buffer, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                    MPI_Status* status) {
  return call(name, [&] {
    const typed_buffer into(buffer, count, type);
    const message_status received = receive_matched(caller().messages(), taken(message), into.data());
    write_status(status, received);
    throw_error_of(received);
  });
}

int begin_receive(const char* name, const void* buffer, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                  MPI_Request* made) {
  return call(name, [&] {
    const typed_buffer into(buffer, count, type);
    request_owner started = start_receive_matched(caller().messages(), taken(message), into.data(), into.kept_type());
    required(made, "request") = handle_of(std::move(started));
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const probe_arguments of{source, tag, comm};
  return call("MPI_Probe", comm, details_of(of),
              [&] { write_status(status, probe(caller().messages(), receive_pattern(object_of(comm), source, tag))); });
}
STRETTO_MPI_NAME(Probe)

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe", comm, [&] {
    const auto found = try_probe(caller().messages(), receive_pattern(object_of(comm), source, tag));
    required(flag, "flag") = found.has_value();
    if (found) write_status(status, *found);
    else yield_without_result();
  });
}
STRETTO_MPI_NAME(Iprobe)

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const probe_arguments of{source, tag, comm};
  return call("MPI_Mprobe", comm, details_of(of), [&] {
    const auto found = matched_probe(caller().messages(), receive_pattern(object_of(comm), source, tag));
    required(message, "message") = handle_of(found);
    write_status(status, found.status);
  });
}
STRETTO_MPI_NAME(Mprobe)

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return call("MPI_Improbe", comm, [&] {
    const auto found = try_matched_probe(caller().messages(), receive_pattern(object_of(comm), source, tag));
    required(flag, "flag") = found.has_value();
    if (!found) return yield_without_result();
    required(message, "message") = handle_of(*found);
    write_status(status, found->status);
  });
}
STRETTO_MPI_NAME(Improbe)

int PMPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return receive_message("MPI_Mrecv", buf, count, type, message, status);
}
STRETTO_MPI_NAME(Mrecv)

int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return receive_message("MPI_Mrecv_c", buf, count, type, message, status);
}
STRETTO_MPI_NAME(Mrecv_c)

int PMPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  return begin_receive("MPI_Imrecv", buf, count, type, message, request);
}
STRETTO_MPI_NAME(Imrecv)

int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  return begin_receive("MPI_Imrecv_c", buf, count, type, message, request);
}
STRETTO_MPI_NAME(Imrecv_c)

}  // extern "C"
