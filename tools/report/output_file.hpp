// output_file.hpp - writes a text to a file, whole or with an error.
#pragma once

#include <string>
#include <string_view>

namespace stretto::report {

/// throws T17 if the file cannot be made or not be written whole.
void write_text(const std::string& file, std::string_view text);

}  // namespace stretto::report
