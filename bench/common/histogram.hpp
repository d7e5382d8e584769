// histogram.hpp - the values of the histogram over nodes: a million, of which each node draws its share. Fewer where
// each value takes an operation of its own.
//
// Threads     none of its own.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace bench {

inline constexpr long values_of_histogram = 1 << 20;
inline constexpr long single_values = 1 << 14;

/// Of all nodes together.
constexpr long drawn_values(std::uint32_t parts, long values = values_of_histogram) { return values / parts * parts; }

inline std::vector<std::uint32_t> drawn_buckets(std::uint32_t part, std::uint32_t parts, std::uint32_t buckets,
                                                long values = values_of_histogram) {
  std::minstd_rand draw(7 + part);
  std::uniform_int_distribution<std::uint32_t> any(0, buckets - 1);
  std::vector<std::uint32_t> drawn(static_cast<std::size_t>(values / parts));
  for (auto& e : drawn) e = any(draw);
  return drawn;
}

}  // namespace bench
