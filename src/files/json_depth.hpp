// json_depth.hpp - how deeply lists and objects of a JSON text are nested: looked at before it is parsed, since values that are nested deeply
// take the stack to be made and to be dropped.
//
// Threads     pure.
// Cost        one pass over the text.
#pragma once

#include <string_view>

namespace stretto::files {

/// The deepest nesting of tables that are read from files; ours have four.
inline constexpr int most_json_depth = 32;

/// Texts in quotes do not count. False, too, of what is no JSON.
bool is_nested_too_deeply(std::string_view json, int most = most_json_depth) noexcept;

}  // namespace stretto::files
