// text_file.hpp - a file that a subcommand writes where the user said.
//
// Threads     any.
#pragma once

#include <string>

namespace stretto::tools {

/// Writes the whole text, in place of what was there. Throws W07 with the system's reason.
void write_text_file(const std::string& file, const std::string& text);

}  // namespace stretto::tools
