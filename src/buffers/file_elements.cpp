#include "buffers/file_elements.hpp"

#include <algorithm>
#include <cstring>

#include "graph/chunk_grid.hpp"

namespace stretto::buffers {
namespace {

void copy_row(const detail::host_elements& memory, const point& from, int last, std::uint64_t count, std::byte* dense,
              direction d) {
  const std::size_t bytes = memory.shape.element_bytes;
  std::byte* at = memory.first + memory.shape.offset_of(from);
  const std::int64_t step = memory.shape.stride[last];
  if (step == static_cast<std::int64_t>(bytes)) {
    if (d == direction::from_memory) std::memcpy(dense, at, count * bytes);
    else std::memcpy(at, dense, count * bytes);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i, at += step, dense += bytes) {
    if (d == direction::from_memory) std::memcpy(dense, at, bytes);
    else std::memcpy(at, dense, bytes);
  }
}

}  // namespace

int split_axis(const box& elements) noexcept {
  int axis = 0;
  while (axis < max_axes - 1 && elements.length(axis) == 1) ++axis;
  return axis;
}

std::vector<box> shares_of(const box& elements, coordinate rows, std::uint32_t nodes) {
  std::vector<box> all(nodes);
  if (elements.is_empty()) return all;
  const int axis = split_axis(elements);
  const coordinate first = elements.min()[axis], steps = (elements.length(axis) + rows - 1) / rows;
  const graph::chunk_grid grid(box(0, steps), nodes, graph::cut::along_rows);
  for (graph::node_number n = 0; n < grid.chunks(); ++n) {
    const box part = grid.chunk(n);
    point min = elements.min(), max = elements.max();
    min[axis] = first + part.min()[0] * rows;
    max[axis] = std::min(max[axis], first + part.max()[0] * rows);
    all[n] = box::between(min, max);
  }
  return all;
}

point chunk_lengths(const box& elements, int dimensions, std::uint32_t element_bytes, std::uint64_t most_bytes) {
  point lengths(1, 1, 1);
  std::uint64_t bytes = element_bytes;
  for (int axis = dimensions - 1; axis >= 0; --axis) {
    const auto fit = static_cast<coordinate>(std::max<std::uint64_t>(1, most_bytes / bytes));
    lengths[axis] = std::clamp<coordinate>(elements.length(axis), 1, fit);
    bytes *= static_cast<std::uint64_t>(lengths[axis]);
  }
  return lengths;
}

void copy_elements_in_order(const detail::host_elements& memory, const box& part, int dimensions, std::uint64_t first,
                            std::uint64_t count, std::byte* dense, direction d) {
  const int last = dimensions - 1;
  while (count > 0) {
    point at = part.min();
    auto left = static_cast<coordinate>(first);
    for (int axis = last; axis >= 0; --axis) at[axis] += left % part.length(axis), left /= part.length(axis);
    const std::uint64_t row = std::min<std::uint64_t>(count, static_cast<std::uint64_t>(part.max()[last] - at[last]));
    copy_row(memory, at, last, row, dense, d);
    dense += row * memory.shape.element_bytes;
    first += row;
    count -= row;
  }
}

void copy_part_of_chunk(const detail::host_elements& memory, const box& part, int dimensions, const box& chunk,
                        std::byte* dense, direction d) {
  if (part.is_empty()) return;
  const int last = dimensions - 1;
  point max = part.max();
  max[last] = part.min()[last] + 1;
  const box rows = box::between(part.min(), max);
  for (coordinate i = rows.min()[0]; i < rows.max()[0]; ++i)
    for (coordinate j = rows.min()[1]; j < rows.max()[1]; ++j)
      for (coordinate k = rows.min()[2]; k < rows.max()[2]; ++k) {
        const point at(i, j, k);
        coordinate number = 0;
        for (int axis = 0; axis < dimensions; ++axis)
          number = number * chunk.length(axis) + at[axis] - chunk.min()[axis];
        copy_row(memory, at, last, static_cast<std::uint64_t>(part.length(last)),
                 dense + number * memory.shape.element_bytes, d);
      }
}

}  // namespace stretto::buffers
