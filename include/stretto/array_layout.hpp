// array_layout.hpp - where the elements of a box are in memory.
//
//     instance_options columns{.order = axis_order::fortran};       // the first axis is the contiguous one
//     data::layout rows{.box = {{0, 0}, {4, 8}}, .stride = {64, 8}, .element_bytes = 8};
//     rows.offset_of({1, 2});                                       // 80: bytes from the element with the least point
//
// Threads     values.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

namespace data {

/// Where the elements of a box are: at byte sum((p[a] - box.min()[a]) * stride[a]) from the first.
struct layout {
  stretto::box box;
  point stride;  // bytes; may be negative
  std::uint32_t element_bytes = 1;

  constexpr std::int64_t offset_of(const point& p) const noexcept {
    return (p[0] - box.min()[0]) * stride[0] + (p[1] - box.min()[1]) * stride[1] + (p[2] - box.min()[2]) * stride[2];
  }
};

}  // namespace data

/// Which axis is contiguous: the last one (C, row-major) or the first one (Fortran, column-major).
enum class axis_order : std::uint8_t { c, fortran };

}  // namespace stretto

STRETTO_API_END
