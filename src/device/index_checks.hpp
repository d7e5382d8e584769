// index_checks.hpp - whether kernels look at each index before they use it.
#pragma once

#include <cstdint>

namespace stretto::device {

enum class checking : std::uint8_t { off, on };

}  // namespace stretto::device
