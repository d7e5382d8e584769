// named_program.hpp - the program that a subcommand is to start.
#pragma once

#include <string>

namespace stretto::tools {

/// Throws W51 for a name that no program has, with a slash or in folders like those of $PATH.
void check_program(const std::string& name, const std::string& path);

}  // namespace stretto::tools
