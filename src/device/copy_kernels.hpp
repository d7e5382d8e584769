// copy_kernels.hpp - copies and fills of rows within a device, for backends whose driver has no call for them.
//
// Threads     constants and pure functions.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// A launch that copies or fills rows.
struct row_launch {
  const kernel_code* code = nullptr;
  launch_range range;
  std::vector<launch_argument> arguments;
};

/// Copies rows by the widest word that divides all distances. Both ends in the memory of one device.
row_launch copy_of_rows(const copy_end& source, const copy_end& target, places::copy_shape shape);

/// Fills each row with a pattern of 16 bytes, two words that must last until the launch; a shorter one is repeated in it.
row_launch fill_of_rows(const copy_end& target, places::copy_shape shape, std::uint64_t* pattern);

}  // namespace stretto::device
