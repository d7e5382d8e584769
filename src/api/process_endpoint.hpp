// process_endpoint.hpp - finds the job that a runtime joins: the one that its options name, else that of the process's
// launcher.
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
