#include "graph/chunk_grid.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

coordinate cell_of(coordinate at, coordinate grain) noexcept { return at / grain - (at % grain < 0); }

}  // namespace

chunk_grid::chunk_grid(const box& range, node_number most, cut how, const extent& grain, const chunk_weights& weights)
    : range_(range) {
  if (range.is_empty() || most == 0) return;
  extent parts = unit;
  if (how == cut::in_tiles) {
    parts = tile_grid(range, most, grain);
    is_tiled_ = true;
  } else {
    int axis = 0;
    while (axis < max_axes - 1 && range.length(axis) == 1) ++axis;
    parts.length[axis] = static_cast<coordinate>(most);
  }
  for (int a = 0; a < max_axes; ++a) {
    grain_[a] = grain[a];
    first_[a] = cell_of(range.min()[a], grain[a]);
    cells_[a] = cell_of(range.max()[a] - 1, grain[a]) + 1 - first_[a];
    parts_[a] = std::min(parts[a], cells_[a]);
  }
  if (chunks() > 1) weights_ = weights;
}

coordinate chunk_grid::begin(int axis, coordinate index, coordinate row) const noexcept {
  if (index == 0) return range_.min()[axis];
  if (index == parts_[axis]) return range_.max()[axis];
  return (first_[axis] + first_cell(axis, index, row)) * grain_[axis];
}

std::uint64_t chunk_grid::weight_before(int axis, coordinate index, coordinate row) const noexcept {
  const auto first = static_cast<std::size_t>(is_tiled_ && axis == 1 ? row * parts_[1] : 0);
  const auto last =
      static_cast<std::size_t>(is_tiled_ && axis == 0 ? index * parts_[1] : static_cast<coordinate>(first) + index);
  return weights_.of_first(last) - weights_.of_first(first);
}

coordinate chunk_grid::first_cell(int axis, coordinate index, coordinate row) const noexcept {
  if (has_weights(axis)) {
    const __int128 all = weight_before(axis, parts_[axis], row), before = weight_before(axis, index, row);
    return index + static_cast<coordinate>(((cells_[axis] - parts_[axis]) * before + all / 2) / all);
  }
  const coordinate each = cells_[axis] / parts_[axis], more = cells_[axis] % parts_[axis];
  return index * each + std::min(index, more);
}

coordinate chunk_grid::chunk_of(int axis, coordinate cell, coordinate row) const noexcept {
  if (has_weights(axis)) {
    coordinate low = 0, high = parts_[axis];  // chunk `low` begins at or before the cell, chunk `high` behind it
    while (high - low > 1) {
      const coordinate middle = (low + high) / 2;
      (first_cell(axis, middle, row) <= cell ? low : high) = middle;
    }
    return low;
  }
  const coordinate each = cells_[axis] / parts_[axis], more = cells_[axis] % parts_[axis],
                   of_longer = more * (each + 1);
  return cell < of_longer ? cell / (each + 1) : more + (cell - of_longer) / each;
}

void chunk_grid::interval(int axis, coordinate index, coordinate& min, coordinate& max, coordinate row) const noexcept {
  min = begin(axis, index, row);
  max = begin(axis, index + 1, row);
}

box chunk_grid::chunk(node_number n) const noexcept {
  const coordinate row = parts_[1] * parts_[2];
  const coordinate at[max_axes] = {n / row, n % row / parts_[2], n % parts_[2]};
  point min, max;
  for (int a = 0; a < max_axes; ++a) interval(a, at[a], min[a], max[a], at[0]);
  return box::between(min, max);
}

index_range chunk_grid::meeting(int axis, coordinate min, coordinate max, coordinate row) const noexcept {
  min = std::max(min, range_.min()[axis]);
  max = std::min(max, range_.max()[axis]);
  if (min >= max) return {};
  const auto of = [&](coordinate at) { return chunk_of(axis, cell_of(at, grain_[axis]) - first_[axis], row); };
  return {of(min), of(max - 1) + 1};
}

node_set chunk_grid::nodes(const index_range (&of)[max_axes]) const {
  node_set all;
  const auto is_whole = [&](int axis) { return of[axis].first == 0 && of[axis].last == parts_[axis]; };
  const bool whole_rows = is_whole(2), whole_slabs = whole_rows && is_whole(1);
  const coordinate slabs = whole_slabs ? 1 : of[0].last - of[0].first, rows = whole_rows ? 1 : of[1].last - of[1].first;
  for (coordinate i = of[0].first; i < of[0].first + slabs; ++i)
    for (coordinate j = of[1].first; j < of[1].first + rows; ++j) {
      const coordinate first = (i * parts_[1] + j) * parts_[2] + of[2].first;
      const coordinate last_slab = whole_slabs ? of[0].last - 1 : i, last_row = whole_rows ? of[1].last - 1 : j;
      const coordinate last = (last_slab * parts_[1] + last_row) * parts_[2] + of[2].last;
      all.append(static_cast<node_number>(first), static_cast<node_number>(last));
    }
  return all;
}

}  // namespace stretto::graph
