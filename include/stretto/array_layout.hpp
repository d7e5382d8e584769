// array_layout.hpp - the memory layout of a box of elements: strides and element size.
//
//     data::layout padded_rows() {  // 4 rows of 8 doubles, each row padded to 10
//       return {.box = {{0, 0}, {4, 8}}, .stride = {80, 8}, .element_bytes = 8};
//     }
//     std::int64_t offset() { return padded_rows().offset_of({1, 2}); }  // 96 bytes
//
//     instance<double, 2> with_fortran_order(place memory) {  // the first axis is contiguous
//       return instance<double, 2>::create(at(memory), {{0, 0}, {4, 8}}, {.order = axis_order::fortran}).made;
//     }
//
// Threads     values.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

namespace data {

/// The layout of a box of elements: element p lies sum((p[a] - box.min()[a]) * stride[a]) bytes behind element
/// box.min().
struct layout {
  stretto::box box;                 // the coordinates of the elements
  point stride;                     // bytes; may be negative
  std::uint32_t element_bytes = 1;  // the size of an element

  /// Bytes from element box.min() to element p. p is not checked.
  constexpr std::int64_t offset_of(const point& p) const noexcept {
    return (p[0] - box.min()[0]) * stride[0] + (p[1] - box.min()[1]) * stride[1] + (p[2] - box.min()[2]) * stride[2];
  }
};

}  // namespace data

/// Which axis is contiguous: the last one (C, row-major) or the first one (Fortran, column-major).
enum class axis_order : std::uint8_t { c, fortran };

}  // namespace stretto

STRETTO_API_END
