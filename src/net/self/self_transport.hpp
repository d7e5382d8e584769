// self_transport.hpp - the transport of a job of one node: it delivers messages to itself, without a copy of lent
// payloads.
#pragma once

#include <memory>

#include "net/transport.hpp"

namespace stretto::net::self {

std::unique_ptr<transport> make(handlers& all);

}  // namespace stretto::net::self
