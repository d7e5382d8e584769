// terminal_text.hpp - makes text from files and other programs safe to print on a terminal.
//
// Threads     pure.
#pragma once

#include <string>
#include <string_view>

namespace stretto::base {

/// The text with all control characters escaped as in JSON, "\u001b": those below U+0020 except tab and newline, U+007F
/// to U+009F, and those that change the direction of writing (such as U+202E). Bytes that are no UTF-8 become U+FFFD.
/// JSON keeps its meaning.
std::string terminal_text(std::string_view text);

}  // namespace stretto::base
