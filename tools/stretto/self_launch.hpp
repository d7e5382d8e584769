// self_launch.hpp - a subcommand that starts itself on several nodes.
#pragma once

#include <string>
#include <vector>

#include "stretto/command.hpp"

namespace stretto::tools {

/// As `stretto run -n NODES stretto CALL ARGUMENT...`, with the options of the runtime that were given as flags.
/// Returns its exit code, throws as it does.
int run_on_nodes(const std::string& nodes, const invocation& call, const std::vector<std::string>& arguments);

}  // namespace stretto::tools
