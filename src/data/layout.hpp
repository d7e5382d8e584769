// layout.hpp - strides for a box of elements, and what memory they span.
//
// Threads     pure.
// Cost        a few dozen instructions.
#pragma once

#include "data/loop_nest.hpp"

namespace stretto::data {

/// Elements side by side, no gaps.
layout dense_layout(const box& box, unsigned dimensions, std::uint32_t element_bytes,
                    axis_order order = axis_order::c) noexcept;

/// Whether the elements of `part`, a box within that of the layout, lie side by side in C order.
bool is_dense(const layout& l, const box& part) noexcept;

/// Bytes before and behind the first element that the layout reaches: [from, to), from <= 0 < to unless empty.
struct byte_span {
  std::int64_t from = 0, to = 0;
};
byte_span span_of(const layout& l) noexcept;

/// True if it is certain that no two elements of the box share a byte: each axis steps over all faster ones.
bool is_injective(const layout& l) noexcept;

/// True if the byte count of the box, element size included, exceeds 2^62.
bool is_beyond_addressing(const box& box, std::uint32_t element_bytes) noexcept;
/// The same of what strides, in elements, make of it.
bool is_beyond_addressing(const box& box, std::uint32_t element_bytes, std::span<const std::int64_t> strides) noexcept;

}  // namespace stretto::data
