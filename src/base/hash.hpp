// hash.hpp - FNV-1a, 64 bits: names files, detects damage, compares lists. Not safe against attackers.
//
// Threads     pure.
// Source      Fowler, Noll, Vo.
#pragma once

#include <cstdint>
#include <string_view>

namespace stretto::base {

/// The hash of a text whose beginning has the hash `before` and which ends with `text`.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = 0xcbf29ce484222325u) noexcept {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return before;
}

}  // namespace stretto::base
