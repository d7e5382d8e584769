#include "base/cache_line_copy.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stretto::base {

void copy_nontemporal(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t line = 64, word = sizeof(__m128i);
  const std::size_t ahead = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  if (bytes >= ahead + line) {
    std::memcpy(to, from, ahead);
    to += ahead, from += ahead, bytes -= ahead;
    for (; bytes >= line; to += line, from += line, bytes -= line)
      for (std::size_t at = 0; at < line; at += word)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    _mm_sfence();  // streaming stores are not ordered with other stores
  }
#endif
  std::memcpy(to, from, bytes);
}

void copy_by_lines(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t line = 64, word = sizeof(__m128i);
  for (; bytes >= line; to += line, from += line, bytes -= line) {
    __m128i words[line / word];
    for (std::size_t n = 0; n < line / word; ++n)
      words[n] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + n * word));
    for (std::size_t n = 0; n < line / word; ++n) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + n * word), words[n]);
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace stretto::base
