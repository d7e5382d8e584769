// copy_kernels.hpp - kernels that copy and fill rows within a device, for backends whose driver has no such call.
//
// Threads     constants and pure functions.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// A kernel launch that copies or fills rows.
struct row_launch {
  const kernel_code* code = nullptr;
  launch_range range;
  std::vector<launch_argument> arguments;
};

/// Copies rows in the widest word that divides all distances. Both ends must lie in the memory of one device.
row_launch copy_of_rows(const copy_end& source, const copy_end& target, places::copy_shape shape);

/// Fills each row with a pattern of 16 bytes: two words that must stay valid until the launch call. Repeat a shorter
/// pattern to fill the 16 bytes.
row_launch fill_of_rows(const copy_end& target, places::copy_shape shape, std::uint64_t* pattern);

}  // namespace stretto::device
