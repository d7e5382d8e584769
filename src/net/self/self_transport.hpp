// self_transport.hpp - the transport of a job with one node, which delivers its messages to itself. It copies no lent
// payload.
#pragma once

#include <memory>

#include "net/transport.hpp"

namespace stretto::net::self {

std::unique_ptr<transport> make(handlers& all);

}  // namespace stretto::net::self
