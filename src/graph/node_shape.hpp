// node_shape.hpp - the processors and memories of one node, as far as its instructions need to know them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stretto::graph {

using memory_number = std::uint8_t;     // 0: the host's
using processor_number = std::uint32_t;

/// Memories of a node, by bits.
using memory_set = std::uint64_t;
inline constexpr std::size_t most_memories = 64;
constexpr memory_set only(memory_number m) noexcept { return memory_set{1} << m; }
/// The one of a set that is read from: the host's, if it is among them.
constexpr memory_number nearest_of(memory_set has) noexcept { return static_cast<memory_number>(std::countr_zero(has)); }

/// How much a memory holds. Of no bytes: as much as is asked for.
struct memory_bounds {
  std::uint64_t bytes = 0;
  std::uint64_t grain = 64;  // an allocation begins at a multiple of it, and takes one
};

struct node_shape {
  /// In which memory each device computes. The host computes in memory 0, as the processor behind the last device; and in place of
  /// devices where there are none.
  std::vector<memory_number> devices;
  /// By memory; those behind the last have none, nor has the host's.
  std::vector<memory_bounds> bounds = {};

  std::size_t memories() const noexcept {
    std::size_t n = 1;
    for (const memory_number m : devices) n = m >= n ? m + std::size_t{1} : n;
    return n;
  }
  processor_number host() const noexcept { return static_cast<processor_number>(devices.size()); }
  memory_number memory_of(processor_number p) const noexcept { return p < devices.size() ? devices[p] : memory_number{0}; }
};

}  // namespace stretto::graph
