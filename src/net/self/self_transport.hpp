// self_transport.hpp - the transport of a job of one node: what it sends comes back to itself, and nothing is copied that is lent.
#pragma once

#include <memory>

#include "net/transport.hpp"

namespace stretto::net::self {

std::unique_ptr<transport> make(handlers& all);

}  // namespace stretto::net::self
