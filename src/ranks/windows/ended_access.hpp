// ended_access.hpp - the request of an operation on a window that had ended when its call returned.
//
// Threads     as request.hpp says.
#pragma once

#include "ranks/messages/request.hpp"

namespace stretto::ranks {

request_owner ended_access();

}  // namespace stretto::ranks
