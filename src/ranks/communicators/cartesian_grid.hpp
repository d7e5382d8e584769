// cartesian_grid.hpp - ranks in a grid, row by row, as MPI_Cart_create arranges them.
//
// Threads     immutable.
// Cost        O(dimensions).
// Errors      call_error: dims, rank, argument.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranks/communicators/communicator_groups.hpp"

namespace stretto::ranks {

struct grid_dimension {
  int size = 1;
  bool is_periodic = false;

  friend bool operator==(const grid_dimension&, const grid_dimension&) = default;
};

/// The ranks at a distance along a dimension; `null_process` beyond the border.
struct grid_shift {
  int source = 0;       // whose shifted place is this one
  int destination = 0;  // at this place, shifted

  friend bool operator==(const grid_shift&, const grid_shift&) = default;
};

class cartesian_grid {
 public:
  /// Sizes are at least 1 and their product is at most 2^31 - 1. No dimensions: one rank.
  explicit cartesian_grid(std::vector<grid_dimension> dimensions);

  const std::vector<grid_dimension>& dimensions() const { return dimensions_; }
  int size() const { return size_; }
  /// Throws where a coordinate is outside of a dimension that is not periodic.
  int rank_of(std::span<const int> coordinates) const;
  std::vector<int> coordinates_of(int rank) const;
  grid_shift shift(int rank, int dimension, int displacement) const;

  /// The grid of the dimensions that are kept, of which this one consists; `is_kept` has an entry for each dimension.
  cartesian_grid part(const std::vector<bool>& is_kept) const;
  /// By which a split makes the parts: ranks of one part have one color, and keys are their ranks in it.
  split_choice part_of(int rank, const std::vector<bool>& is_kept) const;

 private:
  void check_rank(int rank) const;
  int shifted(int rank, int dimension, std::int64_t displacement) const;

  std::vector<grid_dimension> dimensions_;
  int size_ = 1;
};

}  // namespace stretto::ranks
