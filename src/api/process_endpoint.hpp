// process_endpoint.hpp - the job that a runtime joins: as its options say, else as the launcher of the process says.
//
// Threads     the thread that makes the runtime.
#pragma once

#include <memory>

#include "base/options.hpp"
#include "dist/endpoint.hpp"

namespace stretto {

/// Null: no job. Throws N08 to N14 if a launcher started several processes that cannot be joined.
std::shared_ptr<dist::endpoint> endpoint_of_process(const base::settings& s);

}  // namespace stretto
