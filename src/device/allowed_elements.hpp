// allowed_elements.hpp - elements of an array that a checked kernel may name where these are no box.
//
// Threads     a value; constant while kernels run.
// Cost        a look at each box for each element that is named.
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

  /// "[0, 4) x [2, 5) and [4, 5) x [0, 9)", of so many axes; of many boxes the first.
  std::string text(int axes) const;
};

}  // namespace stretto
