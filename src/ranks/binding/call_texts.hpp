// call_texts.hpp - arguments of functions of MPI as text, for reports of hangs and crashes.
//
// Threads     the texts are made while the rank does not run.
// Cost        a function of MPI passes two addresses; texts are made for a report only.
#pragma once

#include <cstdint>
#include <string>

#include "ranks/binding/handles.hpp"
#include "ranks/process/call_record.hpp"

namespace stretto::ranks {

/// Buffer, rank, tag and communicator of a call, in the order of the standard.
struct message_arguments {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int rank;
  int tag;
  MPI_Comm comm;
};

/// Of MPI_Sendrecv and MPI_Sendrecv_replace.
struct exchange_arguments {
  message_arguments sent, received;
};

/// The arguments of a probe.
struct probe_arguments {
  int source, tag;
  MPI_Comm comm;
};

/// The arguments of a collective that all ranks must pass alike, but counts of some.
struct collective_arguments {
  static constexpr int no_root = -1000;

  MPI_Comm comm;
  int root = no_root;
  std::int64_t count = -1;  // -1: differs from rank to rank
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
};

struct request_arguments {
  const MPI_Request* handles;
  int count;
};

/// The call with its arguments, as far as they are valid: "MPI_Recv(from rank 0, tag 7, ...)".
std::string text_of(const call_record& call, rank_state& of);

void describe_send(const void* arguments, rank_state& of, call_text& text);
void describe_receive(const void* arguments, rank_state& of, call_text& text);
void describe_exchange(const void* arguments, rank_state& of, call_text& text);
void describe_probe(const void* arguments, rank_state& of, call_text& text);
void describe_collective(const void* arguments, rank_state& of, call_text& text);
void describe_wait(const void* arguments, rank_state& of, call_text& text);

inline call_details details_of_send(const message_arguments& a) { return {describe_send, &a}; }
inline call_details details_of_receive(const message_arguments& a) { return {describe_receive, &a}; }
inline call_details details_of(const exchange_arguments& a) { return {describe_exchange, &a}; }
inline call_details details_of(const probe_arguments& a) { return {describe_probe, &a}; }
inline call_details details_of(const collective_arguments& a) { return {describe_collective, &a}; }
inline call_details details_of(const request_arguments& a) { return {describe_wait, &a}; }

}  // namespace stretto::ranks
