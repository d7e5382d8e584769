// point_to_point.cpp - functions that send and receive: each with `int` counts and with large ones.
#include <utility>
#include <vector>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/call_texts.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/call_error.hpp"
#include "ranks/heap/readonly_buffers.hpp"
#include "ranks/messages/joined_request.hpp"

namespace stretto::ranks {
namespace {

/// The data of a message with MPI_PROC_NULL is not checked.
[[gnu::always_inline]] inline typed_buffer buffer_of(const message_arguments& a) {
  if (a.rank == null_process) return {nullptr, 0, MPI_BYTE};
  return {a.buffer, a.count, a.type};
}

[[gnu::always_inline]] inline data_part sent_data(const typed_buffer& buffer) {
  if (has_readonly_buffers()) [[unlikely]]
    return readonly_sent(buffer.data(), buffer.memory);
  return buffer.data();
}

[[gnu::always_inline]] inline data_part received_data(const typed_buffer& buffer) {
  if (has_readonly_buffers()) [[unlikely]]
    return readonly_received(buffer.data(), buffer.memory);
  return buffer.data();
}

// In line, so that the arguments go from registers to the request.
struct checked_send {
  [[gnu::always_inline]] checked_send(const message_arguments& a, send_mode mode)
      : buffer(buffer_of(a)), arguments(arguments_of(a, buffer, mode)) {}

  typed_buffer buffer;
  send_arguments arguments;

 private:
  [[gnu::always_inline]] static send_arguments arguments_of(const message_arguments& a, const typed_buffer& buffer,
                                                            send_mode mode) {
    const send_target target(object_of(a.comm), a.rank, a.tag);
    return {target.to, target.message, sent_data(buffer), mode,
            mode == send_mode::buffered ? &caller().buffers().for_message(&object_of(a.comm)) : nullptr};
  }
};

struct checked_receive {
  [[gnu::always_inline]] explicit checked_receive(const message_arguments& a)
      : buffer(buffer_of(a)),
        arguments{caller().messages(), receive_pattern(object_of(a.comm), a.rank, a.tag), received_data(buffer)} {}

  typed_buffer buffer;
  receive_arguments arguments;
};

int send_now(const char* name, send_mode mode, const message_arguments& a) {
  return call(name, a.comm, details_of_send(a), [&] { send(checked_send(a, mode).arguments); });
}

int begin_send(const char* name, send_mode mode, const message_arguments& a, MPI_Request* made) {
  return call(name, a.comm, details_of_send(a), [&] {
    const checked_send s(a, mode);
    required(made, "request") = handle_of(start_send(s.arguments, s.buffer.kept_type()));
  });
}

int prepare_send(const char* name, send_mode mode, const message_arguments& a, MPI_Request* made) {
  return call(name, a.comm, details_of_send(a), [&] {
    const checked_send s(a, mode);
    required(made, "request") = handle_of(make_send(s.arguments, s.buffer.kept_type(), object_of(a.comm).numbers()));
  });
}

int receive_now(const char* name, const message_arguments& a, MPI_Status* status) {
  return call(name, a.comm, details_of_receive(a), [&] {
    const message_status received = receive(checked_receive(a).arguments);
    write_status(status, received);
    throw_error_of(received);
  });
}

int begin_receive(const char* name, const message_arguments& a, MPI_Request* made) {
  return call(name, a.comm, details_of_receive(a), [&] {
    const checked_receive r(a);
    required(made, "request") = handle_of(start_receive(r.arguments, r.buffer.kept_type()));
  });
}

int prepare_receive(const char* name, const message_arguments& a, MPI_Request* made) {
  return call(name, a.comm, details_of_receive(a), [&] {
    const checked_receive r(a);
    required(made, "request") = handle_of(make_receive(r.arguments, r.buffer.kept_type(), object_of(a.comm).numbers()));
  });
}

/// The send goes on while the receive waits, so that a ring of such calls does not stop.
void send_and_receive(const checked_send& s, const checked_receive& r, MPI_Status* status) {
  request_owner sent = start_send(s.arguments);
  const message_status received = receive(r.arguments);
  wait_for(*sent);
  write_status(status, received);
  throw_error_of(received);
}

/// Sends a copy of the data, which the message that is received replaces.
struct replaced_data {
  explicit replaced_data(const typed_buffer& of) : bytes(static_cast<std::size_t>(of.data().bytes())) {
    if (!bytes.empty()) copy_part({bytes.data(), of.data().bytes()}, of.data());
  }

  std::vector<std::byte> bytes;
};

int replace(const char* name, const message_arguments& sent, int source, int tag, MPI_Status* status) {
  const exchange_arguments both{sent, {sent.buffer, sent.count, sent.type, source, tag, sent.comm}};
  return call(name, sent.comm, details_of(both), [&] {
    checked_send s(sent, send_mode::standard);
    const checked_receive r({sent.buffer, sent.count, sent.type, source, tag, sent.comm});
    const replaced_data copy(s.buffer);
    s.arguments.data = {copy.bytes.data(), static_cast<std::int64_t>(copy.bytes.size())};
    send_and_receive(s, r, status);
  });
}

int begin_exchange(const char* name, const message_arguments& sent, const message_arguments& received,
                   MPI_Request* made) {
  return call(name, sent.comm, [&] {
    const checked_send s(sent, send_mode::standard);
    const checked_receive r(received);
    required(made, "request") = handle_of(
        joined(start_receive(r.arguments, r.buffer.kept_type()), start_send(s.arguments, s.buffer.kept_type())));
  });
}

int begin_replacement(const char* name, const message_arguments& sent, int source, int tag, MPI_Request* made) {
  return call(name, sent.comm, [&] {
    checked_send s(sent, send_mode::standard);
    const checked_receive r({sent.buffer, sent.count, sent.type, source, tag, sent.comm});
    replaced_data copy(s.buffer);
    s.arguments.data = {copy.bytes.data(), static_cast<std::int64_t>(copy.bytes.size())};
    request_owner send = start_send(s.arguments);
    required(made, "request") =
        handle_of(joined(start_receive(r.arguments, r.buffer.kept_type()), std::move(send), std::move(copy.bytes)));
  });
}

int exchange(const char* name, const message_arguments& sent, const message_arguments& received, MPI_Status* status) {
  const exchange_arguments both{sent, received};
  return call(name, sent.comm, details_of(both),
              [&] { send_and_receive(checked_send(sent, send_mode::standard), checked_receive(received), status); });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

// Names of functions appear in messages and in alternatives for large counts, so they are made here, by a macro.
#define STRETTO_SENDS(name, mode)                                                                                 \
  int PMPI_##name(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {              \
    return send_now("MPI_" #name, mode, {buf, count, type, dest, tag, comm});                                     \
  }                                                                                                               \
  int PMPI_##name##_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {    \
    return send_now("MPI_" #name "_c", mode, {buf, count, type, dest, tag, comm});                                \
  }                                                                                                               \
  int PMPI_##name##_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,         \
                         MPI_Request* request) {                                                                  \
    return prepare_send("MPI_" #name "_init", mode, {buf, count, type, dest, tag, comm}, request);                \
  }                                                                                                               \
  int PMPI_##name##_init_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
                           MPI_Request* request) {                                                                \
    return prepare_send("MPI_" #name "_init_c", mode, {buf, count, type, dest, tag, comm}, request);              \
  }                                                                                                               \
  STRETTO_MPI_NAME(name)                                                                                          \
  STRETTO_MPI_NAME(name##_c)                                                                                      \
  STRETTO_MPI_NAME(name##_init)                                                                                   \
  STRETTO_MPI_NAME(name##_init_c)

#define STRETTO_NONBLOCKING_SENDS(name, mode)                                                                \
  int PMPI_##name(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,           \
                  MPI_Request* request) {                                                                    \
    return begin_send("MPI_" #name, mode, {buf, count, type, dest, tag, comm}, request);                     \
  }                                                                                                          \
  int PMPI_##name##_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
                      MPI_Request* request) {                                                                \
    return begin_send("MPI_" #name "_c", mode, {buf, count, type, dest, tag, comm}, request);                \
  }                                                                                                          \
  STRETTO_MPI_NAME(name)                                                                                     \
  STRETTO_MPI_NAME(name##_c)

extern "C" {

STRETTO_SENDS(Send, send_mode::standard)
STRETTO_SENDS(Ssend, send_mode::synchronous)
STRETTO_SENDS(Bsend, send_mode::buffered)
STRETTO_SENDS(Rsend, send_mode::ready)
STRETTO_NONBLOCKING_SENDS(Isend, send_mode::standard)
STRETTO_NONBLOCKING_SENDS(Issend, send_mode::synchronous)
STRETTO_NONBLOCKING_SENDS(Ibsend, send_mode::buffered)
STRETTO_NONBLOCKING_SENDS(Irsend, send_mode::ready)

int PMPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return receive_now("MPI_Recv", {buf, count, type, source, tag, comm}, status);
}
STRETTO_MPI_NAME(Recv)

int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return receive_now("MPI_Recv_c", {buf, count, type, source, tag, comm}, status);
}
STRETTO_MPI_NAME(Recv_c)

int PMPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_receive("MPI_Irecv", {buf, count, type, source, tag, comm}, request);
}
STRETTO_MPI_NAME(Irecv)

int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return begin_receive("MPI_Irecv_c", {buf, count, type, source, tag, comm}, request);
}
STRETTO_MPI_NAME(Irecv_c)

int PMPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return prepare_receive("MPI_Recv_init", {buf, count, type, source, tag, comm}, request);
}
STRETTO_MPI_NAME(Recv_init)

int PMPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return prepare_receive("MPI_Recv_init_c", {buf, count, type, source, tag, comm}, request);
}
STRETTO_MPI_NAME(Recv_init_c)

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return exchange("MPI_Sendrecv", {sendbuf, sendcount, sendtype, dest, sendtag, comm},
                  {recvbuf, recvcount, recvtype, source, recvtag, comm}, status);
}
STRETTO_MPI_NAME(Sendrecv)

int PMPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                    MPI_Status* status) {
  return exchange("MPI_Sendrecv_c", {sendbuf, sendcount, sendtype, dest, sendtag, comm},
                  {recvbuf, recvcount, recvtype, source, recvtag, comm}, status);
}
STRETTO_MPI_NAME(Sendrecv_c)

int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                          MPI_Comm comm, MPI_Status* status) {
  return replace("MPI_Sendrecv_replace", {buf, count, type, dest, sendtag, comm}, source, recvtag, status);
}
STRETTO_MPI_NAME(Sendrecv_replace)

int PMPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Status* status) {
  return replace("MPI_Sendrecv_replace_c", {buf, count, type, dest, sendtag, comm}, source, recvtag, status);
}
STRETTO_MPI_NAME(Sendrecv_replace_c)

int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return begin_exchange("MPI_Isendrecv", {sendbuf, sendcount, sendtype, dest, sendtag, comm},
                        {recvbuf, recvcount, recvtype, source, recvtag, comm}, request);
}
STRETTO_MPI_NAME(Isendrecv)

int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                     MPI_Request* request) {
  return begin_exchange("MPI_Isendrecv_c", {sendbuf, sendcount, sendtype, dest, sendtag, comm},
                        {recvbuf, recvcount, recvtype, source, recvtag, comm}, request);
}
STRETTO_MPI_NAME(Isendrecv_c)

int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                           MPI_Comm comm, MPI_Request* request) {
  return begin_replacement("MPI_Isendrecv_replace", {buf, count, type, dest, sendtag, comm}, source, recvtag, request);
}
STRETTO_MPI_NAME(Isendrecv_replace)

int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                             int recvtag, MPI_Comm comm, MPI_Request* request) {
  return begin_replacement("MPI_Isendrecv_replace_c", {buf, count, type, dest, sendtag, comm}, source, recvtag,
                           request);
}
STRETTO_MPI_NAME(Isendrecv_replace_c)

}  // extern "C"
