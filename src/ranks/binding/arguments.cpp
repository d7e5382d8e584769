// arguments.cpp - checks of ranks, tags, counts and datatypes.
#include "ranks/binding/arguments.hpp"

#include <fmt/format.h>

#include "ranks/call_error.hpp"
#include "ranks/messages/request_set.hpp"

namespace stretto::ranks {

void refuse_rank(const char* what, int rank, int size) {
  throw call_error(error_class::rank, fmt::format("{} is {}, and the communicator has {} ranks", what, rank, size));
}

void refuse_tag(int tag) {
  throw call_error(error_class::tag, fmt::format("the tag is {}, and tags are 0 or more", tag));
}

request& existing_request(MPI_Request handle) {
  auto* const r = reinterpret_cast<request*>(handle);
  if (!is_request(r))
    throw call_error(error_class::request, handle == MPI_REQUEST_NULL ? "the request is MPI_REQUEST_NULL"
                                                                      : "the handle is none of a request");
  return *r;
}

}  // namespace stretto::ranks
