// transfers.hpp - splits a walk over two strided arrays into copies of rows, as channels and devices make them.
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

/// Operand 0 of the walk is written. Each transfer has rows and planes at distances of at least 0; the rest of the walk
/// becomes more transfers, in any order. Empty for an empty walk.
std::vector<transfer> transfers_of(const loop_nest<2>& walk, place from, place to);

}  // namespace stretto::data
