// file_elements.hpp - which elements of an array a node and a chunk of a file have, and copies of them between memory and dense bytes.
//
// Threads     pure.
#pragma once

#include <stretto/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto::buffers {

/// The first axis that is longer than 1: along it arrays are shared between nodes, as launches are.
int split_axis(const box& elements) noexcept;

/// Rows for each node, which begin and end at multiples of `rows` from the first; empty boxes for those that get none.
std::vector<box> shares_of(const box& elements, coordinate rows, std::uint32_t nodes);

/// Lengths of chunks of at most that many bytes, or of one element: the last axes whole, as far as they go.
point chunk_lengths(const box& elements, int dimensions, std::uint32_t element_bytes, std::uint64_t most_bytes);

enum class direction : std::uint8_t { from_memory, to_memory };

/// `count` elements of `part` in the order of C, the first of them being number `first`, from or to `dense`.
void copy_elements_in_order(const detail::host_elements& memory, const box& part, int dimensions, std::uint64_t first, std::uint64_t count,
                            std::byte* dense, direction d);
/// The elements of `part` from or to the dense elements of a box around it.
void copy_part_of_chunk(const detail::host_elements& memory, const box& part, int dimensions, const box& chunk, std::byte* dense, direction d);

}  // namespace stretto::buffers
