#include "demo/wave/tiling.hpp"

#include <algorithm>
#include <array>

namespace stretto::wave {
namespace {
int share(int cells, int parts, int i) { return int(std::ptrdiff_t(cells) * i / parts); }
int rounded_up(std::ptrdiff_t a, std::ptrdiff_t b) { return int((a + b - 1) / b); }
}  // namespace

tiling cut(extent grid, int across, int down) {
  tiling result{grid, across, down, {}};
  result.tiles.reserve(std::size_t(across) * std::size_t(down));
  for (int i = 0; i < down; ++i)
    for (int j = 0; j < across; ++j)
      result.tiles.push_back({share(grid.rows, down, i), share(grid.rows, down, i + 1), share(grid.columns, across, j),
                              share(grid.columns, across, j + 1)});
  return result;
}

tile_range tiles_of(std::size_t node, std::size_t nodes, std::size_t tiles) {
  return {tiles * node / nodes, tiles * (node + 1) / nodes};
}

std::vector<halo_copy> halo_copies(const tiling& tiles) {
  std::vector<halo_copy> copies;
  for (int i = 0; i < tiles.down; ++i)
    for (int j = 0; j < tiles.across; ++j) {
      const int to = i * tiles.across + j;
      const auto& t = tiles.tiles[std::size_t(to)];
      const auto add = [&](bool exists, int from, const rectangle& strip) {
        if (exists) copies.push_back({from, to, intersection(strip, tiles.tiles[std::size_t(from)])});
      };
      add(i > 0, to - tiles.across, {t.row - halo, t.row, t.column, t.column_end});
      add(i + 1 < tiles.down, to + tiles.across, {t.row_end, t.row_end + halo, t.column, t.column_end});
      add(j > 0, to - 1, {t.row, t.row_end, t.column - halo, t.column});
      add(j + 1 < tiles.across, to + 1, {t.row, t.row_end, t.column_end, t.column_end + halo});
    }
  return copies;
}

tiling choose_tiling(extent grid, int workers) {
  constexpr std::ptrdiff_t most_cells = 32768, tiles_per_worker = 8;
  constexpr std::ptrdiff_t least_rows = 32, least_columns = 64, longest_row = 1024;
  const auto cells = std::clamp<std::ptrdiff_t>(grid.cells() / (tiles_per_worker * workers), 1, most_cells);
  // As wide as the least height allows: measured, a step of long rows is a third faster than one of a square.
  const int columns = int(std::clamp(cells / least_rows, least_columns, longest_row));
  const int across = std::max(1, rounded_up(grid.columns, columns));
  const int width = rounded_up(grid.columns, across);
  const int rows = std::max(int(least_rows), rounded_up(cells, width));
  return cut(grid, across, std::max(1, rounded_up(grid.rows, rows)));
}

}  // namespace stretto::wave
