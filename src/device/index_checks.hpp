// index_checks.hpp - whether kernels look at each index before they use it.
#pragma once

#include <cstdint>

namespace stretto::device {

enum class index_checks : std::uint8_t { off, on };

}  // namespace stretto::device
