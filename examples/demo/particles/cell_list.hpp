// cell_list.hpp - the particles in each cell of a block and of one cell around it: forces come from nearby cells.
//
// Threads     a value; it keeps its memory from one step to the next.
// Invariants  (1) within a cell, particles are ordered by id: sums of forces equal those of the serial loop, in any
// order
//             of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "demo/particles/problem.hpp"

namespace particles {

/// A particle that acts on those of a patch, and is another's.
struct ghost {
  std::uint32_t id = 0;
  place at = {};
};

/// Cells of the box, as a rectangle.
struct block {
  std::array<std::uint32_t, 2> first = {}, size = {};

  /// Cells from the first one, the short way round: -1 is the neighbour before it.
  std::int32_t from_first(unsigned axis, std::uint32_t cell, std::uint32_t cells) const {
    const auto n = static_cast<std::int32_t>(cells), away = static_cast<std::int32_t>(cell - first[axis]);
    const std::int32_t beyond = (n - static_cast<std::int32_t>(size[axis])) / 2;  // half of what is not of the block
    return away < -beyond ? away + n : away >= n - beyond ? away - n : away;
  }
};
/// The patch at that position of the cut.
block block_of(const box& b, const cut& c, std::uint32_t x, std::uint32_t y);

class cell_list {
 public:
  /// Puts all forces into `mine`, which are inside of the block; the others are there or around it. Returns how many
  /// pairs it looked at.
  double feel(const box& in, const block& of, std::vector<particle>& mine, const std::vector<ghost>& others);

 private:
  struct entry {
    place at;
    std::uint32_t id;
    std::uint32_t index;  // in `mine`, or beyond
  };
  void sort(const box& in, const block& of, const std::vector<particle>& mine, const std::vector<ghost>& others);

  std::vector<std::uint32_t> cell_, begin_, next_;
  std::vector<entry> in_order_;
};

}  // namespace particles
