// pipeline_mode.hpp - when launches go through the launch pipeline (launch_pipeline.hpp).
#pragma once

#include <cstdint>

namespace stretto::buffers {

enum class pipeline_mode : std::uint8_t {
  off,
  by_cost,  // if a launch is predicted to be slow, and a worker is idle
  always,
};

}  // namespace stretto::buffers
