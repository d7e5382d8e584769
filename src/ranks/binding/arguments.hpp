// arguments.hpp - the arguments of functions that send and receive: checked, and as the room `messages` takes them.
//
// Threads     those of the calling rank.
// Cost        a few comparisons.
// Errors      call_error: count, type, buffer, rank, tag.
#pragma once

#include <cstdint>

#include "ranks/binding/type_handles.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {

/// A buffer of a program: `count` elements of a committed type.
struct typed_buffer {
  typed_buffer(const void* from, std::int64_t elements, MPI_Datatype handle)
      : memory(from), count(elements), type(type_of_data(from, elements, handle)) {}

  data_part data() const { return data_part(memory, count, type); }
  /// For operations that outlive the call: the program may free its type before they end.
  datatype_ref kept_type() const { return type.is_predefined() ? datatype_ref() : datatype_ref(&type); }

  const void* memory;
  std::int64_t count;
  const datatype& type;
};

/// The rank that calls.
inline rank& caller() { return *rank::current(); }

[[noreturn]] void refuse_rank(const char* what, int rank, int size);
[[noreturn]] void refuse_tag(int tag);

/// The rank to send to, and the envelope of a message to it.
struct send_target {
  [[gnu::always_inline]] send_target(communicator& comm, int dest, int tag)
      : message(point_to_point_context(comm.members().number), comm.rank(), tag) {
    const group& peers = comm.members().peers();
    if (tag < 0) [[unlikely]]
      refuse_tag(tag);
    if (static_cast<unsigned>(dest) < static_cast<unsigned>(peers.size())) [[likely]]
      to = caller().node().reach(peers[dest]);
    else if (dest != null_process) refuse_rank("the destination", dest, peers.size());
  }

  peer to;
  envelope message;
};

/// The pattern of a receive or a probe.
inline envelope receive_pattern(communicator& comm, int source, int tag) {
  const communicator_members& members = comm.members();
  if (tag < 0 && tag != any_tag) [[unlikely]]
    refuse_tag(tag);
  const bool is_rank = static_cast<unsigned>(source) < static_cast<unsigned>(members.peers().size());
  if (!is_rank && source != any_source && source != null_process) [[unlikely]]
    refuse_rank("the source", source, members.peers().size());
  return {point_to_point_context(members.number), source, tag};
}

/// Gives the request to the program.
inline MPI_Request handle_of(request_owner made) {
  if (usage_check::is_on) [[unlikely]]
    usage_check::made_request(*made);
  return reinterpret_cast<MPI_Request>(made.release());
}

/// Throws call_error(request) for null and other handles.
request& existing_request(MPI_Request handle);

}  // namespace stretto::ranks
