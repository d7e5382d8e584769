// joined_request.hpp - a receive and a send as one operation: MPI_Isendrecv.
//
// Threads     as request.hpp says.
#pragma once

#include <cstddef>
#include <vector>

#include "ranks/messages/request.hpp"

namespace stretto::ranks {

/// A request, active, that is done when both are; its status is that of the receive. It keeps `memory` until then.
request_owner joined(request_owner receive, request_owner send, std::vector<std::byte> memory = {});

}  // namespace stretto::ranks
