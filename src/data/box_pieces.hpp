// pieces.hpp - a box in pieces that fit into a buffer.
//
// Threads     pure.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>
#include <vector>

namespace stretto::data {

/// Cuts a box into pieces of at most `elements`, in order, whole along the faster axes where that fits. Pure.
std::vector<box> pieces_of(const box& whole, std::uint64_t elements);

}  // namespace stretto::data
