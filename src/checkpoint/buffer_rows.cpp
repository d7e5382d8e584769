#include "checkpoint/buffer_rows.hpp"

#include <algorithm>

#include "buffers/file_elements.hpp"
#include "buffers/file_tasks.hpp"

namespace stretto::checkpoints {

saved_shape shape_of_rows(const detail::file_elements& of, const box& elements, std::uint32_t nodes) {
  saved_shape s{of.type, of.bytes, {}, {}, {}};
  for (int axis = 0; axis < of.dimensions; ++axis) {
    s.lengths.push_back(elements.is_empty() ? 0 : elements.length(axis));
    s.origin.push_back(elements.min()[axis]);
  }
  std::uint64_t row = of.bytes;
  for (std::size_t axis = 1; axis < s.lengths.size(); ++axis)
    row *= static_cast<std::uint64_t>(std::max<std::int64_t>(s.lengths[axis], 1));
  const auto fit = static_cast<std::int64_t>(buffers::most_file_bytes_at_once / row);
  s.rows = std::max<std::int64_t>(1, std::min(fit, (s.lengths[0] + nodes - 1) / nodes));
  return s;
}

std::vector<box> shares_of_rows(const box& elements, const saved_shape& shape, std::uint32_t nodes) {
  if (elements.is_empty() || elements.length(0) > 1)
    return buffers::shares_of(elements, std::max<std::int64_t>(shape.rows, 1), nodes);
  std::vector<box> all(nodes);
  all[0] = elements;
  return all;
}

box elements_of_rows(const saved_shape& shape) {
  point min, max(1, 1, 1);
  for (std::size_t axis = 0; axis < shape.lengths.size(); ++axis) {
    const int i = static_cast<int>(axis);
    min[i] = shape.origin.empty() ? 0 : shape.origin[axis];
    max[i] = min[i] + shape.lengths[axis];
  }
  return box::between(min, max);
}

}  // namespace stretto::checkpoints
