// pipeline_mode.hpp - whether launches that can be refused no more are taken into the graphs by a task of their own.
#pragma once

#include <cstdint>

namespace stretto::buffers {

enum class pipeline_mode : std::uint8_t {
  off,
  by_cost,  // where that takes long, and a worker is free
  always,
};

}  // namespace stretto::buffers
