// arguments.cpp - checks of ranks, tags, counts and datatypes.
#include "ranks/binding/arguments.hpp"

#include <fmt/format.h>

#include "ranks/call_error.hpp"
#include "ranks/messages/request_set.hpp"

namespace stretto::ranks {
namespace {

[[noreturn]] void refuse_rank(const char* what, int rank, int size) {
  throw call_error(error_class::rank, fmt::format("{} is {}, and the communicator has {} ranks", what, rank, size));
}

[[noreturn]] void refuse_tag(int tag) {
  throw call_error(error_class::tag, fmt::format("the tag is {}, and tags are 0 or more", tag));
}

}  // namespace

send_target::send_target(communicator& comm, int dest, int tag) {
  const communicator_members& members = comm.members();
  const group& peers = members.peers();
  if (tag < 0) [[unlikely]]
    refuse_tag(tag);
  message = {point_to_point_context(members.number), comm.rank(), tag};
  if (static_cast<unsigned>(dest) < static_cast<unsigned>(peers.size())) [[likely]]
    to = caller().node().reach(peers[dest]);
  else if (dest != null_process) refuse_rank("the destination", dest, peers.size());
}

envelope receive_pattern(communicator& comm, int source, int tag) {
  const communicator_members& members = comm.members();
  if (tag < 0 && tag != any_tag) [[unlikely]]
    refuse_tag(tag);
  if (static_cast<unsigned>(source) >= static_cast<unsigned>(members.peers().size()) && source != any_source &&
      source != null_process) [[unlikely]]
    refuse_rank("the source", source, members.peers().size());
  return {point_to_point_context(members.number), source, tag};
}

request& existing_request(MPI_Request handle) {
  auto* const r = reinterpret_cast<request*>(handle);
  if (!is_request(r))
    throw call_error(error_class::request, handle == MPI_REQUEST_NULL ? "the request is MPI_REQUEST_NULL"
                                                                      : "the handle is none of a request");
  return *r;
}

}  // namespace stretto::ranks
