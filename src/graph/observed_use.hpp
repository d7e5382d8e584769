// observed_use.hpp - the elements of a buffer that one chunk of a launch was observed to use.
//
// Threads     a value.
#pragma once

#include <cstdint>

#include "geometry/region.hpp"

namespace stretto::graph {

struct observed_use {
  box chunk;
  region used;  // the elements used; if not known exactly, their bounding box
  bool is_exact = true;
  bool has_corners = false;  // if not exact: it reached beyond the chunk along two axes at once
  std::uint64_t count = 0;   // if not exact: the number of elements used, if known
};

}  // namespace stretto::graph
