// index_checks.hpp - whether kernels check each index before they use it.
#pragma once

#include <cstdint>

namespace stretto::device {

enum class index_checks : std::uint8_t { off, on };

}  // namespace stretto::device
