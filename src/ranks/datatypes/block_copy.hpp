// block_copy.hpp - copies many small blocks of one length, each by a few instructions.
//
// Threads     the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {

/// Copies `bytes` bytes: up to 64 without a call.
inline void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  const auto overlapping = [&]<std::size_t half>(std::integral_constant<std::size_t, half>) {
    struct part {
      std::byte bytes[half];
    };
    part first, last;
    std::memcpy(&first, from, half);
    std::memcpy(&last, from + bytes - half, half);
    std::memcpy(to, &first, half);
    std::memcpy(to + bytes - half, &last, half);
  };
  if (bytes > 64) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else if (bytes >= 32) {
    overlapping(std::integral_constant<std::size_t, 32>());
  } else if (bytes >= 16) {
    overlapping(std::integral_constant<std::size_t, 16>());
  } else if (bytes >= 8) {
    overlapping(std::integral_constant<std::size_t, 8>());
  } else if (bytes >= 4) {
    overlapping(std::integral_constant<std::size_t, 4>());
  } else {
    for (std::int64_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

/// Copies the first `number` blocks of `bytes` bytes.
void copy_blocks(const block_list& to, const block_list& from, std::int64_t number, std::int64_t bytes);

/// Copies `repetitions` of a leaf to or from a run of bytes. Runs of a target may not overlap.
void gather_runs(std::byte* to, const layout_leaf& leaf, const std::byte* from, std::int64_t repetitions);
void scatter_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions);

/// The same between repetitions of equal leaves.
void copy_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions);

}  // namespace stretto::ranks
