// exported_device_elements.hpp - elements in the memory of a device, described for another process of this host.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/loop_nest.hpp"

namespace stretto::data {

struct exported_device_elements {
  std::vector<std::byte> token;    // of the device's memory (device::exported)
  std::uint64_t memory_bytes = 0;  // size of that memory
  std::uint64_t first = 0;         // offset of the element at shape.box.min()
  layout shape;
  std::uint8_t dimensions = 1;
};

}  // namespace stretto::data
