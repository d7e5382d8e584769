// log_lines.hpp - maps the line numbers in a compiler's log to the user's source, for compilers that ignore #line.
//
// Threads     pure.
#pragma once

#include <string>
#include <string_view>

namespace stretto::device {

/// The log with each "<kernel>:N:", as NVIDIA's OpenCL writes it, replaced by the file and line that the last #line
/// before line N of the source names. Lines before the first #line stay unchanged.
std::string with_lines_of_user(std::string_view log, std::string_view source);

}  // namespace stretto::device
