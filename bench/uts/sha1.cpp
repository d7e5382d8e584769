#include "uts/sha1.hpp"

#include <bit>
#include <type_traits>
#include <utility>

namespace uts {
namespace {

using block = std::array<std::uint32_t, 16>;
constexpr digest initial{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

// The message schedule lives in a ring of 16 words: word i replaces word i - 16, the oldest that it
// needs.
template <int Round>
[[gnu::always_inline]] inline std::uint32_t scheduled(block& w) {
  if constexpr (Round >= 16)
    w[Round & 15] = std::rotl(w[(Round + 13) & 15] ^ w[(Round + 8) & 15] ^ w[(Round + 2) & 15] ^ w[Round & 15], 1);
  return w[Round & 15];
}

template <int Round>
[[gnu::always_inline]] inline std::uint32_t mixed(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (Round < 20) return (d ^ (b & (c ^ d))) + 0x5a827999;             // choose
  else if constexpr (Round < 40) return (b ^ c ^ d) + 0x6ed9eba1;                // parity
  else if constexpr (Round < 60) return ((b & c) + (d & (b ^ c))) + 0x8f1bbcdc;  // majority, as disjoint sums
  else return (b ^ c ^ d) + 0xca62c1d6;
}

// Five rounds rename the five variables back to where they were, so no value ever moves.
template <int Round>
[[gnu::always_inline]] inline void five_rounds(block& w, std::uint32_t& a, std::uint32_t& b, std::uint32_t& c,
                                               std::uint32_t& d, std::uint32_t& e) {
  const auto step = [&]<int R>(std::integral_constant<int, R>, std::uint32_t p, std::uint32_t & q, std::uint32_t r,
                               std::uint32_t s, std::uint32_t & t) __attribute__((always_inline)) {
    t += std::rotl(p, 5) + mixed<R>(q, r, s) + scheduled<R>(w);
    q = std::rotl(q, 30);
  };
  step(std::integral_constant<int, Round>(), a, b, c, d, e);
  step(std::integral_constant<int, Round + 1>(), e, a, b, c, d);
  step(std::integral_constant<int, Round + 2>(), d, e, a, b, c);
  step(std::integral_constant<int, Round + 3>(), c, d, e, a, b);
  step(std::integral_constant<int, Round + 4>(), b, c, d, e, a);
}

digest compress(block w) {
  auto [a, b, c, d, e] = initial;
  [&]<int... Fifth>(std::integer_sequence<int, Fifth...>) __attribute__((always_inline)) {
    (five_rounds<5 * Fifth>(w, a, b, c, d, e), ...);
  }
  (std::make_integer_sequence<int, 16>());
  return {a + initial[0], b + initial[1], c + initial[2], d + initial[3], e + initial[4]};
}

}  // namespace

digest sha1(const digest& s, std::uint32_t index) {
  return compress({s[0], s[1], s[2], s[3], s[4], index, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 24 * 8});
}

digest sha1(const digest& s) {
  return compress({s[0], s[1], s[2], s[3], s[4], 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8});
}

}  // namespace uts
