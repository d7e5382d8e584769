#include <algorithm>
#include <stretto/box.hpp>

#include "geometry/floor_divide.hpp"

namespace stretto {
namespace {

using geometry::floor_divide;

// The beginning of piece i of n pieces of [0, cells). Pieces differ by at most one cell; longer ones come first.
coordinate begin_of(std::size_t i, std::size_t n, coordinate cells) {
  const auto index = static_cast<coordinate>(i), count = static_cast<coordinate>(n);
  return index * (cells / count) + std::min(index, cells % count);
}

// The grain cells that an interval touches, numbered from the origin; the outer two may be cut by the interval.
struct cells {
  cells(const box& domain, int axis, coordinate grain)
      : first(floor_divide(domain.min()[axis], grain)),
        count(floor_divide(domain.max()[axis] - 1, grain) + 1 - first) {}
  coordinate first, count;
};

std::size_t part_count(std::size_t parts, coordinate most) {
  return std::min<std::uint64_t>(parts, static_cast<std::uint64_t>(most));
}

// The ends of n pieces along an axis, domain.min first.
std::vector<coordinate> cuts(const box& domain, int axis, std::size_t parts, coordinate grain) {
  const cells c(domain, axis, grain);
  const std::size_t n = part_count(parts, c.count);
  std::vector<coordinate> at(n + 1);
  at.front() = domain.min()[axis];
  for (std::size_t i = 1; i < n; ++i) at[i] = (c.first + begin_of(i, n, c.count)) * grain;
  at.back() = domain.max()[axis];
  return at;
}

void check(const box& domain, bool has_parts, const extent& grain) {
  if (!has_parts) {
    split_error e("B34", "cannot split a box into 0 parts");
    e.fact("box", domain.text()).remedy("ask for one part or more");
    throw e;
  }
  for (int axis = 0; axis < max_axes; ++axis)
    if (grain[axis] < 1) {
      split_error e("B35", "the grain of a split must be at least 1 element");
      e.fact("box", domain.text())
          .fact("grain", std::to_string(grain[axis]) + " elements on axis " + std::to_string(axis))
          .remedy("leave the grain out, or give 1 where cuts may lie anywhere");
      throw e;
    }
}

int slowest_axis(const box& domain) {
  for (int axis = 0; axis < max_axes; ++axis)
    if (domain.length(axis) > 1) return axis;
  return 0;
}

}  // namespace

std::vector<box> split(const box& domain, std::size_t parts, const extent& grain) {
  check(domain, parts != 0, grain);
  std::vector<box> pieces;
  if (domain.is_empty()) return pieces;
  const int axis = slowest_axis(domain);
  const cells c(domain, axis, grain[axis]);
  const std::size_t n = part_count(parts, c.count);
  pieces.reserve(n);
  point min = domain.min(), max = domain.max();
  for (std::size_t i = 0; i < n; ++i) {
    max[axis] = i + 1 == n ? domain.max()[axis] : (c.first + begin_of(i + 1, n, c.count)) * grain[axis];
    pieces.push_back(box::between(min, max));
    min[axis] = max[axis];
  }
  return pieces;
}

std::vector<box> split_grid(const box& domain, const extent& parts, const extent& grain) {
  check(domain, parts[0] > 0 && parts[1] > 0 && parts[2] > 0, grain);
  std::vector<box> pieces;
  if (domain.is_empty()) return pieces;
  std::vector<coordinate> at[max_axes];
  for (int axis = 0; axis < max_axes; ++axis)
    at[axis] = cuts(domain, axis, static_cast<std::size_t>(parts[axis]), grain[axis]);
  pieces.reserve((at[0].size() - 1) * (at[1].size() - 1) * (at[2].size() - 1));
  for (std::size_t i = 0; i + 1 < at[0].size(); ++i)
    for (std::size_t j = 0; j + 1 < at[1].size(); ++j)
      for (std::size_t k = 0; k + 1 < at[2].size(); ++k)
        pieces.push_back(box::between({at[0][i], at[1][j], at[2][k]}, {at[0][i + 1], at[1][j + 1], at[2][k + 1]}));
  return pieces;
}

extent tile_grid(const box& domain, std::size_t parts, const extent& grain) {
  check(domain, parts != 0, grain);
  if (domain.is_empty()) return unit;
  const auto rows = static_cast<std::uint64_t>(cells(domain, 0, grain[0]).count);
  const auto columns = static_cast<std::uint64_t>(cells(domain, 1, grain[1]).count);
  if (columns <= parts / rows) return {rows, columns};  // at most one cell for each part
  // Compares the sum of a tile's edge lengths, rows / r + columns / c, in integers: all nodes must get the same result.
  const auto outline = [&](std::uint64_t r, std::uint64_t c) {
    return static_cast<__int128>(domain.length(0)) * static_cast<__int128>(c) +
           static_cast<__int128>(domain.length(1)) * static_cast<__int128>(r);
  };
  for (std::uint64_t n = parts;; --n) {
    std::uint64_t best_r = 0, best_c = 0;
    const auto consider = [&](std::uint64_t r, std::uint64_t c) {
      if (r > rows || c > columns) return;
      if (best_r == 0 || outline(r, c) < outline(best_r, best_c)) best_r = r, best_c = c;
    };
    for (std::uint64_t r = 1; r <= n / r; ++r)
      if (n % r == 0) {
        consider(r, n / r);
        consider(n / r, r);
      }
    if (best_r != 0) return {best_r, best_c};
  }
}

std::vector<box> split_tiles(const box& domain, std::size_t parts, const extent& grain) {
  return split_grid(domain, tile_grid(domain, parts, grain), grain);
}

}  // namespace stretto
