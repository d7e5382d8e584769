// json_depth.hpp - the nesting depth of a JSON text, checked before parsing: deeply nested values overflow the stack
// when they are parsed or destroyed.
//
// Threads     pure.
// Cost        one pass over the text.
#pragma once

#include <string_view>

namespace stretto::files {

/// The deepest nesting that is read from files; ours have four levels.
inline constexpr int most_json_depth = 32;

/// Whether lists and objects are nested deeper than `most`, ignoring strings. False also for text that is not JSON.
bool is_nested_too_deeply(std::string_view json, int most = most_json_depth) noexcept;

}  // namespace stretto::files
