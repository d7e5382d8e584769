#include <stretto_mpi/request_event.hpp>

#include "ranks/binding/arguments.hpp"

namespace stretto {

event event_of(MPI_Request request, std::source_location where) {
  if (request == MPI_REQUEST_NULL) return {};
  return ranks::event_of(ranks::existing_request(request), where);
}

}  // namespace stretto
