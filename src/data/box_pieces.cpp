#include "data/box_pieces.hpp"

#include <algorithm>

namespace stretto::data {

std::vector<box> pieces_of(const box& whole, std::uint64_t elements) {
  std::vector<box> pieces;
  if (whole.is_empty()) return pieces;
  const std::uint64_t rows = static_cast<std::uint64_t>(whole.length(2));
  const std::uint64_t plane = rows * static_cast<std::uint64_t>(whole.length(1));
  const auto steps = [&](int axis, std::uint64_t unit_volume) {
    const std::uint64_t n = std::max<std::uint64_t>(1, elements / unit_volume);
    return static_cast<coordinate>(std::min<std::uint64_t>(n, static_cast<std::uint64_t>(whole.length(axis))));
  };
  // The first axis that can be cut into steps holds whole slices of the axes behind it.
  const coordinate step0 = steps(0, plane);
  const coordinate step1 = elements >= plane ? whole.length(1) : steps(1, rows);
  const coordinate step2 = elements >= rows ? whole.length(2) : steps(2, 1);
  for (coordinate i = whole.min()[0]; i < whole.max()[0]; i += step0)
    for (coordinate j = whole.min()[1]; j < whole.max()[1]; j += step1)
      for (coordinate k = whole.min()[2]; k < whole.max()[2]; k += step2)
        pieces.push_back(intersection(whole, box::between(point(i, j, k), point(i + step0, j + step1, k + step2))));
  return pieces;
}

}  // namespace stretto::data
