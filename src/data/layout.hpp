// layout.hpp - strides for a box of elements, and the memory that they span.
//
// Threads     pure.
// Cost        a few dozen instructions.
#pragma once

#include "data/loop_nest.hpp"

namespace stretto::data {

/// A layout without gaps.
layout dense_layout(const box& box, unsigned dimensions, std::uint32_t element_bytes,
                    axis_order order = axis_order::c) noexcept;

/// Whether the elements of `part`, a box within that of the layout, are contiguous in C order.
bool is_dense(const layout& l, const box& part) noexcept;

/// The bytes that the layout reaches, relative to the first element: [from, to), from <= 0 < to unless empty.
struct byte_span {
  std::int64_t from = 0, to = 0;
};
byte_span span_of(const layout& l) noexcept;

/// True if certainly no two elements share a byte: each axis steps over all faster ones.
bool is_injective(const layout& l) noexcept;

/// True if the box has more than 2^62 bytes.
bool is_beyond_addressing(const box& box, std::uint32_t element_bytes) noexcept;
/// The same for these strides, in elements.
bool is_beyond_addressing(const box& box, std::uint32_t element_bytes, std::span<const std::int64_t> strides) noexcept;

}  // namespace stretto::data
