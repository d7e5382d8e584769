// pipeline_mode.hpp - whether launches that can be refused no more are taken into the graphs by a task of their own.
#pragma once

#include <cstdint>

namespace stretto::buffers {

enum class handing : std::uint8_t {
  never,
  by_time,  // where that takes long, and a worker is free
  always,
};

}  // namespace stretto::buffers
