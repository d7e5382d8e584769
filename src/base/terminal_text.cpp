#include "base/terminal_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.hpp"

namespace stretto::base {
namespace {

bool is_obeyed(char32_t c) {
  if (c < 0x20) return c != '\n' && c != '\t';
  if (c < 0xa0) return c >= 0x7f;
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const utf8_character c = first_character(text);
    if (c.bytes == 0) safe += "\xef\xbf\xbd";
    else if (is_obeyed(c.code)) fmt::format_to(std::back_inserter(safe), "\\u{:04x}", static_cast<unsigned>(c.code));
    else safe += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes ? c.bytes : 1);
  }
  return safe;
}

}  // namespace stretto::base
