// copy_kernels.hpp - copies of rows within a device, for backends whose driver has no call for them.
//
// Threads     constants and pure functions.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// A launch that copies rows.
struct row_launch {
  const kernel_code* code = nullptr;
  launch_range range;
  std::vector<launch_argument> arguments;
};

/// Copies rows by the widest word that divides all distances. Both ends in the memory of one device.
row_launch copy_of_rows(const copy_end& source, const copy_end& target, places::copy_shape shape);

}  // namespace stretto::device
