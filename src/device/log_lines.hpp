// log_lines.hpp - a compiler's log in the lines of whom wrote the kernel, also where the compiler knows only the lines of the text it was given.
//
// Threads     pure.
#pragma once

#include <string>
#include <string_view>

namespace stretto::device {

/// The log with "<kernel>:N:" (as NVIDIA's OpenCL says, which does not heed #line) replaced by file and line that the #line before line N of
/// the source names. What stands before the first #line stays as it is.
std::string with_lines_of_user(std::string_view log, std::string_view source);

}  // namespace stretto::device
