// grey_image.hpp - a grey picture in memory, and how large a picture may be.
//
// Threads     a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "demo/wave/field.hpp"

namespace stretto::wave {

struct grey_image {
  extent size;
  std::vector<float> grey;  // row-major, 0 black to 1 white
};

inline constexpr std::ptrdiff_t largest_image = 32 * 1024 * 1024;  // pixels
inline constexpr int longest_side = 32768;                         // pixels
inline constexpr std::uintmax_t largest_file = 256 * 1024 * 1024;  // bytes

}  // namespace stretto::wave
