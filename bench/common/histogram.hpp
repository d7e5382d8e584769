// histogram.hpp - the values of the histogram over nodes: a million, of which each node draws its share.
//
// Threads     none of its own.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace bench {

inline constexpr long values_of_histogram = 1 << 20;

/// Of all nodes together.
constexpr long drawn_values(std::uint32_t parts) { return values_of_histogram / parts * parts; }

inline std::vector<std::uint32_t> drawn_buckets(std::uint32_t part, std::uint32_t parts, std::uint32_t buckets) {
  std::minstd_rand draw(7 + part);
  std::uniform_int_distribution<std::uint32_t> any(0, buckets - 1);
  std::vector<std::uint32_t> drawn(static_cast<std::size_t>(values_of_histogram / parts));
  for (auto& e : drawn) e = any(draw);
  return drawn;
}

}  // namespace bench
