// tiling.hpp - cutting the grid into tiles, and which cells each tile needs from which neighbour.
//
// Threads     pure values.
// Why         the stencil is plus-shaped: a cell needs cells in its own row and column only, so a tile needs
//             strips from its four neighbours and nothing from those across its corners.
#pragma once

#include <vector>

#include "demo/wave/field.hpp"

namespace stretto::wave {

struct tiling {
  extent grid;
  int across = 1, down = 1;
  std::vector<rectangle> tiles;  // row by row; tile (i, j) is tiles[i * across + j]
};

/// Cuts the grid into across x down tiles whose sides differ by at most one cell.
///
///   across   1 .. columns / halo, so that one neighbour holds all that a side of a tile needs
///   down     1 .. rows / halo
///
///     cut({4, 10}, 3, 1).tiles   ->  columns [0,3) [3,6) [6,10)
tiling cut(extent grid, int across, int down);

/// Tiles that follow one another: [first, end).
struct tile_range {
  std::size_t first = 0, end = 0;
};
/// Those of one of several nodes, equally many for each but for one.
tile_range tiles_of(std::size_t node, std::size_t nodes, std::size_t tiles);

/// Cells of tile `from` that tile `to` reads but does not compute.
struct halo_copy {
  int from = 0, to = 0;
  rectangle cells;  // in the grid's coordinates; inside `from`, within `halo` cells of `to`
  bool operator==(const halo_copy&) const = default;
};

/// Every copy of one step, grouped by `to`: at most four each, none beyond the edges of the grid.
std::vector<halo_copy> halo_copies(const tiling& tiles);

/// Tiles for so many workers: about eight for each (over-decomposition evens the load), each of at most 32,768 cells
/// (half a megabyte of fields) and a row, as wide as 32 rows allow up to 1,024 columns (long rows suit vectors and
/// copies), but none below 32 x 64 cells unless the grid is that small.
tiling choose_tiling(extent grid, int workers);

}  // namespace stretto::wave
