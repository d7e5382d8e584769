#include <stretto_mpi/request_event.hpp>

#include "ranks/messages/request.hpp"

namespace stretto {

event event_of(MPI_Request request, std::source_location where) {
  if (request == MPI_REQUEST_NULL) return {};
  return ranks::event_of(*reinterpret_cast<ranks::request*>(request), where);
}

}  // namespace stretto
