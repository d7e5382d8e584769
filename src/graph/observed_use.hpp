// observed_use.hpp - what a chunk of a launch was seen to use of a buffer.
//
// Threads     a value.
#pragma once

#include <cstdint>

#include "geometry/region.hpp"

namespace stretto::graph {

struct observed_use {
  box chunk;
  region used;               // what it used; if that is not known, the least box with all of it
  bool is_exact = true;
  bool has_corners = false;  // not exact: beyond the chunk along two axes at once
  std::uint64_t count = 0;   // not exact: elements that it used, if that is known
};

}  // namespace stretto::graph
