// node_shape.hpp - the processors and memories of one node, as far as its instructions depend on them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stretto::graph {

using memory_number = std::uint8_t;  // 0: host memory
using processor_number = std::uint32_t;

/// A set of memories of a node, one bit each.
using memory_set = std::uint64_t;
inline constexpr std::size_t most_memories = 64;
constexpr memory_set only(memory_number m) noexcept { return memory_set{1} << m; }
/// The memory of a set to read from: host memory, if it is in the set.
constexpr memory_number nearest_of(memory_set has) noexcept {
  return static_cast<memory_number>(std::countr_zero(has));
}

/// The size of a memory. 0 bytes: unbounded.
struct memory_bounds {
  std::uint64_t bytes = 0;
  std::uint64_t grain = 64;  // allocations begin at multiples of it, and take a multiple of it
};

struct node_shape {
  /// The memory of each device. The host is the processor behind the last device and computes in memory 0. Without
  /// devices, the host computes in their place.
  std::vector<memory_number> devices;
  /// By memory. Host memory and memories beyond the last entry are unbounded.
  std::vector<memory_bounds> bounds = {};

  std::size_t memories() const noexcept {
    std::size_t n = 1;
    for (const memory_number m : devices) n = m >= n ? m + std::size_t{1} : n;
    return n;
  }
  processor_number host() const noexcept { return static_cast<processor_number>(devices.size()); }
  memory_number memory_of(processor_number p) const noexcept {
    return p < devices.size() ? devices[p] : memory_number{0};
  }
};

}  // namespace stretto::graph
