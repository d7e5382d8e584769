// dialect.hpp - the languages that devices compile.
//
// Threads     a value.
#pragma once

#include <cstdint>

namespace stretto::device {

enum class dialect : std::uint8_t { opencl, cuda };

}  // namespace stretto::device
