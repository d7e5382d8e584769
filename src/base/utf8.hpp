// utf8.hpp - the characters of a text in UTF-8, and where it is none.
//
// Threads     pure.
// Source      the table of well-formed sequences in the Unicode standard, chapter 3.9: no longer spelling of a shorter
//             character, no half of a surrogate pair, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace stretto::base {

struct utf8_character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: the text does not begin with a character
};

/// Of a text that is not empty.
constexpr utf8_character first_character(std::string_view text) noexcept {
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

/// The offset of the first byte that belongs to no character; text.size() if there is none.
constexpr std::size_t first_bad_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = first_character(text.substr(at)).bytes;
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

}  // namespace stretto::base
