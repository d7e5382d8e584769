#include "device/copy_kernels.hpp"

#include <stretto/kernel.hpp>

#include <cstdint>

namespace stretto::device {

namespace {

STRETTO_KERNEL(copy_rows_by_1, (in<uint8_t, 3> from, out<uint8_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(copy_rows_by_4, (in<uint32_t, 3> from, out<uint32_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(copy_rows_by_8, (in<uint64_t, 3> from, out<uint64_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(fill_rows_by_1, (out<uint8_t, 3> to, uint64_t low, uint64_t high), {
  int64_t k = global_id(2);
  to(global_id(0), global_id(1), k) = (uint8_t)((k % 16 < 8 ? low : high) >> (8 * (k % 8)));
})
STRETTO_KERNEL(fill_rows_by_8, (out<uint64_t, 3> to, uint64_t low, uint64_t high),
               { to(global_id(0), global_id(1), global_id(2)) = global_id(2) % 2 == 0 ? low : high; })

launch_argument as_array(const copy_end& e, places::copy_shape shape, std::size_t word) {
  launch_argument a;
  a.is.origin = e.address;
  const std::size_t stride[3] = {shape.planes > 1 ? e.plane_stride / word : 0, shape.rows > 1 ? e.row_stride / word : 0,
                                 1};
  const std::size_t count[3] = {shape.planes, shape.rows, shape.row_bytes / word};
  for (int i = 0; i < 3; ++i) {
    a.is.stride[i] = static_cast<std::int64_t>(stride[i]);
    a.is.max[i] = static_cast<std::int64_t>(count[i]);
  }
  a.first = e.address;
  a.bytes = (shape.planes - 1) * (shape.planes > 1 ? e.plane_stride : 0) +
            (shape.rows - 1) * (shape.rows > 1 ? e.row_stride : 0) + shape.row_bytes;
  return a;
}

/// The combined distances, which the size of a copied word must divide.
std::size_t distances(const copy_end& e, places::copy_shape shape) noexcept {
  return shape.row_bytes | reinterpret_cast<std::uintptr_t>(e.address) | (shape.rows > 1 ? e.row_stride : 0) |
         (shape.planes > 1 ? e.plane_stride : 0);
}

}  // namespace

row_launch copy_of_rows(const copy_end& source, const copy_end& target, places::copy_shape shape) {
  const std::size_t all = distances(source, shape) | distances(target, shape);
  const std::size_t word = all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
  row_launch l;
  l.code = &(word == 8 ? copy_rows_by_8.code() : word == 4 ? copy_rows_by_4.code() : copy_rows_by_1.code());
  l.range.dimensions = 3;
  l.arguments = {as_array(source, shape, word), as_array(target, shape, word)};
  for (int i = 0; i < 3; ++i) l.range.max[i] = l.arguments[0].is.max[i];
  return l;
}

row_launch fill_of_rows(const copy_end& target, places::copy_shape shape, std::uint64_t* pattern) {
  const std::size_t word = distances(target, shape) % 8 == 0 ? 8 : 1;
  row_launch l;
  l.code = &(word == 8 ? fill_rows_by_8.code() : fill_rows_by_1.code());
  l.range.dimensions = 3;
  launch_argument low, high;
  low.is.origin = reinterpret_cast<std::byte*>(pattern);
  high.is.origin = reinterpret_cast<std::byte*>(pattern + 1);
  l.arguments = {as_array(target, shape, word), low, high};
  for (int i = 0; i < 3; ++i) l.range.max[i] = l.arguments[0].is.max[i];
  return l;
}

}  // namespace stretto::device
