// floor_divide.hpp - the division of coordinates that rounds down.
//
// Threads     any.
#pragma once

#include <stretto/box.hpp>

namespace stretto::geometry {

/// a / b, rounded down also for negative a. Requires b > 0.
constexpr coordinate floor_divide(coordinate a, coordinate b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace stretto::geometry
