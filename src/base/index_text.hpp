// index_text.hpp - formats the index of an element for messages: "(3, 4)".
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <string>

namespace stretto::base {

/// `axes` numbers, at least one.
inline std::string index_text(const std::int64_t* at, int axes) {
  std::string text = "(" + std::to_string(at[0]);
  for (int axis = 1; axis < axes; ++axis) text += ", " + std::to_string(at[axis]);
  return text + ")";
}

}  // namespace stretto::base
