// exported_elements.hpp - where elements lie in the memory of a device, in words that another process of this host understands.
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
  std::uint64_t memory_bytes = 0;  // all of that
  std::uint64_t first = 0;         // where in it the element at shape.box.min() lies
  layout shape;
  std::uint8_t dimensions = 1;
};

}  // namespace stretto::data
