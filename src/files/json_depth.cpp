#include "files/json_depth.hpp"

namespace stretto::files {

bool is_nested_too_deeply(std::string_view json, int most) noexcept {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_quoted && c == '\\') ++i;
    else if (c == '"') is_quoted = !is_quoted;
    else if (is_quoted) continue;
    else if (c == '[' || c == '{') depth += 1;
    else if (c == ']' || c == '}') depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

}  // namespace stretto::files
