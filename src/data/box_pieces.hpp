// box_pieces.hpp - cuts a box into pieces that fit into a buffer.
//
// Threads     pure.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>
#include <vector>

namespace stretto::data {

/// Cuts a box into pieces of at most `elements`, in order. Pieces are whole along the faster axes if that fits.
std::vector<box> pieces_of(const box& whole, std::uint64_t elements);

}  // namespace stretto::data
