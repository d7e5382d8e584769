// json_text.hpp - any bytes as the inside of a JSON string.
//
// Threads     pure.
#pragma once

#include <string>
#include <string_view>

namespace stretto::trace {

/// Appends `bytes` to `out` so that it may stand between quotes: valid UTF-8 as it is, quotes, backslashes and
/// control characters escaped, and each byte that is not part of valid UTF-8 as U+FFFD, the replacement character.
void append_json(std::string& out, std::string_view bytes);

}  // namespace stretto::trace
