// chunk_grid.hpp - splits the range of a task into chunks, one for each participating node.
//
// Threads     a value.
// Cost        everything: O(1), however many chunks there are. With weights, `meeting`: O(log chunks).
// Tiles       With weights, the height of a row of tiles follows the sum of its weights, and each row is cut by itself:
//             cuts through all rows could not follow the weight of each tile. So intervals along axis 1 belong to one
//             row.
// Invariants  (1) chunks are disjoint and their union is the range. (2) no chunk is empty. (3) without weights the cuts
//             are those of split() and split_tiles().
//
// Chunks are numbered with axis 0 slowest, and chunk i is node i's. A chunk's position is computed without the other
// chunks.
//
// With weights, each chunk gets one cell (of a grain), and the remaining cells are distributed in proportion to the
// weights. So no chunk is empty, and chunk i stays node i's whatever its weight. For tiles this holds for the rows, and
// in each row.
#pragma once

#include <stretto/box.hpp>

#include "graph/chunk_weights.hpp"
#include "graph/node_set.hpp"

namespace stretto::graph {

enum class cut : std::uint8_t {
  along_rows,  // axis 0, or the first that is longer than 1
  in_tiles,    // axes 0 and 1, near-square
};

/// Indices of chunks along one axis: [first, last).
struct index_range {
  coordinate first = 0, last = 0;
  friend constexpr bool operator==(const index_range&, const index_range&) = default;
};

class chunk_grid {
 public:
  chunk_grid() = default;
  /// At most `most` chunks; every cut lies on a multiple of the grain. Cost: in tiles as tile_grid.
  ///
  ///   weights   none, or `most` of them; weights of chunks that do not exist are ignored
  chunk_grid(const box& range, node_number most, cut how, const extent& grain = unit,
             const chunk_weights& weights = {});

  const box& range() const noexcept { return range_; }
  node_number chunks() const noexcept { return static_cast<node_number>(parts_[0] * parts_[1] * parts_[2]); }
  coordinate parts(int axis) const noexcept { return parts_[axis]; }

  /// n < chunks().
  box chunk(node_number n) const noexcept;
  /// True if each row of tiles has cuts of its own.
  bool has_uneven_rows() const noexcept { return is_tiled_ && !weights_.are_none() && parts_[0] > 1 && parts_[1] > 1; }
  /// Interval [min, max) of the chunks with this index along the axis. `row`: the row of tiles, if rows are uneven.
  void interval(int axis, coordinate index, coordinate& min, coordinate& max, coordinate row = 0) const noexcept;
  /// Indices along an axis of the chunks that meet [min, max).
  index_range meeting(int axis, coordinate min, coordinate max, coordinate row = 0) const noexcept;
  /// The nodes of all chunks with these indices.
  node_set nodes(const index_range (&of)[max_axes]) const;

  friend bool operator==(const chunk_grid&, const chunk_grid&) = default;

 private:
  coordinate begin(int axis, coordinate index, coordinate row) const noexcept;
  /// The first cell of a chunk, counted from the first of the range.
  coordinate first_cell(int axis, coordinate index, coordinate row) const noexcept;
  coordinate chunk_of(int axis, coordinate cell, coordinate row) const noexcept;
  bool has_weights(int axis) const noexcept { return !weights_.are_none() && parts_[axis] > 1; }
  /// The sum of the weights before that index along the axis.
  std::uint64_t weight_before(int axis, coordinate index, coordinate row) const noexcept;

  box range_;
  coordinate parts_[max_axes] = {0, 0, 0};
  coordinate grain_[max_axes] = {1, 1, 1};
  // in cells of one grain, counted from the origin: the cell of the first item
  coordinate first_[max_axes] = {0, 0, 0};
  coordinate cells_[max_axes] = {0, 0, 0};
  bool is_tiled_ = false;
  chunk_weights weights_;
};

}  // namespace stretto::graph
