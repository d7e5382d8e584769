// buffer_rows.hpp - how a buffer lies in a checkpoint: which rows of it a chunk has, and which a node.
//
// Threads     pure.
// Invariants  (1) each chunk is written by one node.
#pragma once

#include <stretto/buffer_files.hpp>

#include <cstdint>
#include <vector>

#include "checkpoint/content_io.hpp"

namespace stretto::checkpoints {

/// Cut so that a chunk has about 4 MiB at most, and each of the nodes one at least, if there are rows for all.
kept_shape shape_of_rows(const detail::file_elements& of, const box& elements, std::uint32_t nodes);
/// A part for each node, of whole chunks; empty boxes for those that get none.
std::vector<box> shares_of_rows(const box& elements, const kept_shape& shape, std::uint32_t nodes);
/// The elements that an array of a checkpoint has.
box elements_of_rows(const kept_shape& shape);

}  // namespace stretto::checkpoints
