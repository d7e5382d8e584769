// file_elements.hpp - the elements of an array that belong to a node or a chunk of a file, and copies between memory
// and dense bytes.
//
// Threads     pure.
#pragma once

#include <stretto/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto::buffers {

/// The first axis longer than 1: arrays are split among nodes along it, as launches are.
int split_axis(const box& elements) noexcept;

/// Rows for each node, which begin and end at multiples of `rows` from the first; nodes without rows get empty boxes.
std::vector<box> shares_of(const box& elements, coordinate rows, std::uint32_t nodes);

/// Lengths of chunks of at most `most_bytes`, or of one element: fills the last axes first.
point chunk_lengths(const box& elements, int dimensions, std::uint32_t element_bytes, std::uint64_t most_bytes);

enum class direction : std::uint8_t { from_memory, to_memory };

/// Copies `count` elements of `part` in C order, beginning with element number `first`, from or to `dense`.
void copy_elements_in_order(const detail::host_elements& memory, const box& part, int dimensions, std::uint64_t first,
                            std::uint64_t count, std::byte* dense, direction d);
/// Copies the elements of `part` from or to the dense elements of `chunk`, a box around it.
void copy_part_of_chunk(const detail::host_elements& memory, const box& part, int dimensions, const box& chunk,
                        std::byte* dense, direction d);

}  // namespace stretto::buffers
