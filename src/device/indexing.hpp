// indexing.hpp - how a compiled variant of a kernel computes element addresses: what its compiler may assume about a
// launch.
//
// Threads     pure.
// Cost        indexing_of: some additions for each array.
#pragma once

#include <cstdint>
#include <span>

#include "device/device.hpp"

namespace stretto::device {

/// Each value includes the assumptions of those before it. Kernel texts see it as the number STRETTO_INDEXING.
enum class indexing : std::uint8_t {
  any,
  dense,  ///< the last axis of every array has stride 1, and ids fit into int
  near,   ///< all sums of an address computation fit into int; 64-bit multiplication takes many instructions on devices
};

/// The strongest value that holds for a launch.
indexing indexing_of(const kernel_code& code, const launch_range& range,
                     std::span<const launch_argument> arguments) noexcept;

}  // namespace stretto::device
