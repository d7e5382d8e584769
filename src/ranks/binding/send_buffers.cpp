// send_buffers.cpp - MPI functions that attach, detach and flush the memory for a rank's buffered sends: for all of its
// messages, or for those of a communicator or session.
#include <fmt/format.h>

#include <cstring>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/session_handles.hpp"

namespace stretto::ranks {
namespace {

send_buffer& common_buffer() { return caller().buffers().common(); }
send_buffer& buffer_of(MPI_Comm comm) { return caller().buffers().of(&object_of(comm)); }
send_buffer& buffer_of(MPI_Session session) { return caller().buffers().of(&object_of(session)); }

void attach(send_buffer& to, void* memory, std::int64_t bytes) {
  if (bytes < 0) throw call_error(error_class::argument, fmt::format("the size is {}", bytes));
  to.attach(memory, bytes);
}

/// Waits until all messages in the buffer have been received. `address` is that of a pointer of the program, of any
/// type, which becomes the buffer's address.
template <class Size>
void detach(send_buffer& from, void* address, Size* bytes) {
  if (!address) throw call_error(error_class::argument, "buffer_addr is a null pointer");
  const auto [memory, size] = from.detach();
  std::memcpy(address, &memory, sizeof memory);
  required(bytes, "size") = static_cast<Size>(size);
}

/// `made` becomes a request that is complete once the messages now in the buffer have been received.
void begin_flush(send_buffer& of, MPI_Request* made) { required(made, "request") = handle_of(of.start_flush()); }

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Buffer_attach(void* buffer, int size) {
  return call("MPI_Buffer_attach", [&] { attach(common_buffer(), buffer, size); });
}
STRETTO_MPI_NAME(Buffer_attach)

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return call("MPI_Buffer_attach_c", [&] { attach(common_buffer(), buffer, size); });
}
STRETTO_MPI_NAME(Buffer_attach_c)

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return call("MPI_Buffer_detach", [&] { detach(common_buffer(), buffer_addr, size); });
}
STRETTO_MPI_NAME(Buffer_detach)

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return call("MPI_Buffer_detach_c", [&] { detach(common_buffer(), buffer_addr, size); });
}
STRETTO_MPI_NAME(Buffer_detach_c)

int PMPI_Buffer_flush(void) {
  return call("MPI_Buffer_flush", [] { common_buffer().flush(); });
}
STRETTO_MPI_NAME(Buffer_flush)

int PMPI_Buffer_iflush(MPI_Request* request) {
  return call("MPI_Buffer_iflush", [&] { begin_flush(common_buffer(), request); });
}
STRETTO_MPI_NAME(Buffer_iflush)

int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  return call("MPI_Comm_attach_buffer", comm, [&] { attach(buffer_of(comm), buffer, size); });
}
STRETTO_MPI_NAME(Comm_attach_buffer)

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return call("MPI_Comm_attach_buffer_c", comm, [&] { attach(buffer_of(comm), buffer, size); });
}
STRETTO_MPI_NAME(Comm_attach_buffer_c)

int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return call("MPI_Comm_detach_buffer", comm, [&] { detach(buffer_of(comm), buffer_addr, size); });
}
STRETTO_MPI_NAME(Comm_detach_buffer)

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return call("MPI_Comm_detach_buffer_c", comm, [&] { detach(buffer_of(comm), buffer_addr, size); });
}
STRETTO_MPI_NAME(Comm_detach_buffer_c)

int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return call("MPI_Comm_flush_buffer", comm, [&] { buffer_of(comm).flush(); });
}
STRETTO_MPI_NAME(Comm_flush_buffer)

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return call("MPI_Comm_iflush_buffer", comm, [&] { begin_flush(buffer_of(comm), request); });
}
STRETTO_MPI_NAME(Comm_iflush_buffer)

int PMPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) {
  return call_in_session("MPI_Session_attach_buffer", session, [&] { attach(buffer_of(session), buffer, size); });
}
STRETTO_MPI_NAME(Session_attach_buffer)

int PMPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  return call_in_session("MPI_Session_attach_buffer_c", session, [&] { attach(buffer_of(session), buffer, size); });
}
STRETTO_MPI_NAME(Session_attach_buffer_c)

int PMPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return call_in_session("MPI_Session_detach_buffer", session, [&] { detach(buffer_of(session), buffer_addr, size); });
}
STRETTO_MPI_NAME(Session_detach_buffer)

int PMPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return call_in_session("MPI_Session_detach_buffer_c", session,
                         [&] { detach(buffer_of(session), buffer_addr, size); });
}
STRETTO_MPI_NAME(Session_detach_buffer_c)

int PMPI_Session_flush_buffer(MPI_Session session) {
  return call_in_session("MPI_Session_flush_buffer", session, [&] { buffer_of(session).flush(); });
}
STRETTO_MPI_NAME(Session_flush_buffer)

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return call_in_session("MPI_Session_iflush_buffer", session, [&] { begin_flush(buffer_of(session), request); });
}
STRETTO_MPI_NAME(Session_iflush_buffer)

}  // extern "C"
