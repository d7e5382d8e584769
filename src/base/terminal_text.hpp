// terminal_text.hpp - text from files and other programs on its way to a terminal.
//
// Threads     pure.
#pragma once

#include <string>
#include <string_view>

namespace stretto::base {

/// The text with every character that a terminal would obey written as in JSON, "\u001b": control characters but tab
/// and newline, those of U+0080 to U+009F, and those that change the direction of writing (U+202E and its like). Bytes
/// that are no UTF-8 become U+FFFD. JSON stays the same JSON.
std::string terminal_text(std::string_view text);

}  // namespace stretto::base
