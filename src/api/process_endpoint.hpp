// process_endpoint.hpp - whether a runtime belongs to a job, and to which: what its options say, else who started the
// process.
//
// Threads     the thread that makes the runtime.
#pragma once

#include <memory>

#include "base/options.hpp"
#include "dist/endpoint.hpp"

namespace stretto {

/// Null: it is alone. Throws N08 to N14 where a launcher started several processes that cannot be joined.
std::shared_ptr<dist::endpoint> endpoint_of_process(const base::settings& s);

}  // namespace stretto
