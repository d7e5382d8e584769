// signature_hash.hpp - the hash of a sequence of basic types: sequences are appended and repeated without listing them.
//
// Threads     pure.
// Cost        append: two products; repeat: O(log n) of them.
// Source      polynomial hashes modulo 2^61 - 1: Karp, Rabin 1987.
#pragma once

#include <cstdint>

namespace stretto::ranks {

/// Equal sequences have equal hashes; others differ but for one pair in about 10^18.
struct signature_hash {
  std::uint64_t value = 0;
  std::uint64_t power = 1;  // of the base, to the number of elements

  friend bool operator==(const signature_hash&, const signature_hash&) = default;
};

constexpr std::uint64_t product_of_hashes(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  const auto wide = static_cast<unsigned __int128>(a) * b;
  const std::uint64_t folded = static_cast<std::uint64_t>(wide & prime) + static_cast<std::uint64_t>(wide >> 61);
  return folded >= prime ? folded - prime : folded;
}

/// The hash of one basic type.
constexpr signature_hash hash_of_element(std::uint16_t number) {
  constexpr std::uint64_t base = 0x0f3a'91c2'5d7e'b84b;  // any number below the prime
  return {number + std::uint64_t{0x9e37'79b9}, base};
}

/// The hash of `first` followed by `second`.
constexpr signature_hash append(const signature_hash& first, const signature_hash& second) {
  constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  const std::uint64_t value = product_of_hashes(first.value, second.power) + second.value;
  return {value >= prime ? value - prime : value, product_of_hashes(first.power, second.power)};
}

/// The hash of `count` times the sequence.
constexpr signature_hash repeat(signature_hash sequence, std::int64_t count) {
  signature_hash result;
  for (; count > 0; count >>= 1) {
    if (count & 1) result = append(result, sequence);
    sequence = append(sequence, sequence);
  }
  return result;
}

}  // namespace stretto::ranks
