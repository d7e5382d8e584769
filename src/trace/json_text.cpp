#include "trace/json_text.hpp"

#include <cstddef>

namespace stretto::trace {
namespace {

// The length of the UTF-8 character at the front, 0 if there is none (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view s) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;  // a longer spelling of a shorter character
  if (first == 0xed && second > 0x9f) return 0;  // half of a surrogate pair
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;  // beyond U+10FFFF
  return length;
}

}  // namespace

void append_json(std::string& out, std::string_view bytes) {
  constexpr char hex[] = "0123456789abcdef";
  while (!bytes.empty()) {
    const auto c = static_cast<unsigned char>(bytes.front());
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    } else if ((length = utf8_length(bytes)) != 0) {
      out += bytes.substr(0, length);
    } else {
      out += "\xef\xbf\xbd";
      length = 1;
    }
    bytes.remove_prefix(length);
  }
}

}  // namespace stretto::trace
