// text_file.hpp - writes the output file of a subcommand.
//
// Threads     any.
#pragma once

#include <string>

namespace stretto::tools {

/// Writes or replaces the file. Throws W07 with the system's reason.
void write_text_file(const std::string& file, const std::string& text);

}  // namespace stretto::tools
