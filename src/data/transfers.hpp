// transfers.hpp - a walk over two strided arrays, as the copies of rows that channels and devices make.
//
// Threads     pure.
#pragma once

#include <vector>

#include "data/loop_nest.hpp"
#include "platform/channel.hpp"

namespace stretto::data {

struct transfer {
  places::copy_end source, target;
  places::copy_shape shape;
};

/// Operand 0 of the walk is written. Rows and planes at distances of at least 0; whatever else the walk has is further
/// transfers, in any order. None for a walk over nothing.
std::vector<transfer> transfers_of(const loop_nest<2>& walk, place from, place to);

}  // namespace stretto::data
