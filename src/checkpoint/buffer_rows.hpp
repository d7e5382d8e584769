// buffer_rows.hpp - divides a buffer's rows into chunks, and the chunks among nodes.
//
// Threads     pure.
// Invariants  (1) one node writes each chunk.
#pragma once

#include <stretto/buffer_files.hpp>

#include <cstdint>
#include <vector>

#include "checkpoint/content_io.hpp"

namespace stretto::checkpoints {

/// Divides rows into chunks of at most about 4 MiB, with at least one chunk per node if there are enough rows.
saved_shape shape_of_rows(const detail::file_elements& of, const box& elements, std::uint32_t nodes);
/// One box per node, of whole chunks; empty for nodes without a chunk.
std::vector<box> shares_of_rows(const box& elements, const saved_shape& shape, std::uint32_t nodes);
/// The box of the elements that a checkpoint's array holds.
box elements_of_rows(const saved_shape& shape);

}  // namespace stretto::checkpoints
