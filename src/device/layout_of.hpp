// layout_of.hpp - the layout of an array argument as a kernel receives it.
//
// Threads     pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/device.hpp"
#include "device/kernel_text.hpp"

namespace stretto::device {

/// Offsets count from the array's first byte. The origin may lie before it, by a whole number of elements.
inline array_layout layout_of(const launch_argument& given, std::uint32_t element_bytes) noexcept {
  array_layout layout;
  layout.offset = (reinterpret_cast<std::intptr_t>(given.is.origin) - reinterpret_cast<std::intptr_t>(given.first)) /
                  static_cast<std::intptr_t>(element_bytes);
  std::copy_n(given.is.stride, 3, layout.stride);
  return layout;
}

}  // namespace stretto::device
