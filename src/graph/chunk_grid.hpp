// chunk_grid.hpp - how the range of a task is cut into chunks, one for each node that takes part.
//
// Threads     a value.
// Cost        everything: O(1), however many chunks there are. With weights, `meeting`: O(log chunks).
// Tiles       with weights, a row of tiles is as high as all of its tiles weigh, and each is cut into tiles by itself: cuts through all rows
//             could not follow the weight of each tile. So along axis 1 intervals are those of a row.
// Invariants  (1) chunks are disjoint and their union is the range. (2) no chunk is empty. (3) without weights the cuts are those of split()
//             and split_tiles().
//
// Chunks are numbered with axis 0 slowest, and chunk i is node i's. No chunk of another node has to be made to know where it is.
//
// With weights each chunk has one cell (of a grain), and the other cells in the proportion of the weights: so none is empty, and chunk i stays
// node i's whatever its weight. Of tiles that holds for rows of them, and in each row.
#pragma once

#include <stretto/box.hpp>

#include "graph/chunk_weights.hpp"
#include "graph/node_set.hpp"

namespace stretto::graph {

enum class cut : std::uint8_t {
  along_rows,   // axis 0, or the first that is longer than 1
  in_tiles,     // axes 0 and 1, near-square
};

/// Indices of chunks along one axis, [first, last).
struct index_range {
  coordinate first = 0, last = 0;
  friend constexpr bool operator==(const index_range&, const index_range&) = default;
};

class chunk_grid {
 public:
  chunk_grid() = default;
  /// At most `most` chunks; every cut lies on a multiple of the grain. Cost: in tiles as tile_grid.
  ///
  ///   weights   none, or `most` of them; those of chunks that there are not do not count
  chunk_grid(const box& range, node_number most, cut how, const extent& grain = unit, const chunk_weights& weights = {});

  const box& range() const noexcept { return range_; }
  node_number chunks() const noexcept { return static_cast<node_number>(parts_[0] * parts_[1] * parts_[2]); }
  coordinate parts(int axis) const noexcept { return parts_[axis]; }

  /// n < chunks().
  box chunk(node_number n) const noexcept;
  /// Whether rows of tiles are cut each by itself.
  bool has_uneven_rows() const noexcept { return is_tiled_ && !weights_.are_none() && parts_[0] > 1 && parts_[1] > 1; }
  /// The chunks' interval at that index of an axis: [min, max). `row`: of which row of tiles, where they are uneven.
  void interval(int axis, coordinate index, coordinate& min, coordinate& max, coordinate row = 0) const noexcept;
  /// The indices along an axis of chunks that meet [min, max).
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
  /// What those before that index weigh together, of all along the axis.
  std::uint64_t weight_before(int axis, coordinate index, coordinate row) const noexcept;

  box range_;
  coordinate parts_[max_axes] = {0, 0, 0};
  coordinate grain_[max_axes] = {1, 1, 1};
  coordinate first_[max_axes] = {0, 0, 0};  // cells of one grain, numbered from the origin: that of the range's first item
  coordinate cells_[max_axes] = {0, 0, 0};
  bool is_tiled_ = false;
  chunk_weights weights_;
};

}  // namespace stretto::graph
