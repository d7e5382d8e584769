// indexing.hpp - how a variant of a kernel's text finds elements: what a launch allows its compiler to take for granted.
//
// Threads     pure.
// Cost        indexing_of: some additions for each array.
#pragma once

#include <cstdint>
#include <span>

#include "device/device.hpp"

namespace stretto::device {

/// Each has what those before it have. Texts know it as the number STRETTO_INDEXING.
enum class indexing : std::uint8_t {
  any,
  dense,  ///< the last axis of every array has stride 1, and ids are ints
  near,   ///< whatever is added up for an element that an array has is an int: of 64 bits, devices multiply in many instructions
};

/// The most that is so of a launch.
indexing indexing_of(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments) noexcept;

}  // namespace stretto::device
