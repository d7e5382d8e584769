#include "base/terminal_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace stretto::base {
namespace {

struct character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: no character begins here
};

/// By the table of well-formed sequences in the Unicode standard, chapter 3.9.
character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length};
}

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
    const character c = first_of(text);
    if (c.bytes == 0) safe += "\xef\xbf\xbd";
    else if (is_obeyed(c.code)) fmt::format_to(std::back_inserter(safe), "\\u{:04x}", static_cast<unsigned>(c.code));
    else safe += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes ? c.bytes : 1);
  }
  return safe;
}

}  // namespace stretto::base
