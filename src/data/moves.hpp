// moves.hpp - the loops of copies, fills, gathers and scatters, over arrays with any strides.
//
// Threads     any; calls that write disjoint elements may run at the same time.
// Cost        contiguous runs at memcpy speed; transposes in cache-sized tiles; other strides one element at a time.
#pragma once

#include <stretto/copy.hpp>

#include <optional>

#include "data/loop_nest.hpp"

namespace stretto::data {

/// first[0] <- first[1]. The two must not overlap.
void copy_elements(const loop_nest<2>& walk) noexcept;

/// first[0] <- the element_bytes at `value`.
void fill_elements(const loop_nest<1>& walk, const std::byte* value) noexcept;

using detail::index_kind;

std::uint32_t bytes_of(index_kind kind) noexcept;

/// An index that names no element of the array.
struct bad_index {
  point index;
  std::uint64_t position;  // in the order of the walk
};

/// first[0] <- table[index at first[1]]; stops at the first bad index, after the elements before it.
std::optional<bad_index> gather_elements(const loop_nest<2>& walk, const operand& table, index_kind kind) noexcept;

/// table[index at first[1]] <- first[0]; in the order of the walk, so the last of several writers wins.
std::optional<bad_index> scatter_elements(const loop_nest<2>& walk, const operand& table, index_kind kind) noexcept;

}  // namespace stretto::data
