#include "trace/json_text.hpp"

#include <cstddef>

#include "base/utf8.hpp"

namespace stretto::trace {

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
    } else if ((length = base::first_character(bytes).bytes) != 0) {
      out += bytes.substr(0, length);
    } else {
      out += "\xef\xbf\xbd";
      length = 1;
    }
    bytes.remove_prefix(length);
  }
}

}  // namespace stretto::trace
