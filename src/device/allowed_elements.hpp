// allowed_elements.hpp - the elements that a checked kernel may access, as a union of boxes.
//
// Threads     a value; constant while kernels run.
// Cost        each element access tests the boxes one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto {

struct allowed_elements {
  struct one_box {
    std::int64_t min[3], max[3];
  };
  std::vector<one_box> boxes;

  /// "[0, 4) x [2, 5) and [4, 5) x [0, 9)": the boxes along the first `axes` axes. Of many boxes, only the first
  /// ones.
  std::string text(int axes) const;
};

}  // namespace stretto
