// problem.hpp - a drop in its vapour, which the wind carries round the box, and how the box is cut.
//
// The drop is most of the work and a small part of the box, so that who has patches of the box has much to do or
// little, in turn.
//
// Threads     pure functions.
// Errors      W36 what cannot be computed so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "demo/particles/force_law.hpp"

namespace particles {

struct box {
  double unit = 0;          // of places, in diameters
  std::uint32_t cells = 0;  // along each axis; none is narrower than the reach
  place wind = {};          // of a step: a cell, and two thirds of one to the side
  std::uint32_t cell_of(std::uint32_t coordinate) const {
    return static_cast<std::uint32_t>((std::uint64_t{coordinate} * cells) >> 32);
  }
};

struct problem {
  std::uint32_t count = 40'000, steps = 150;
  std::uint64_t seed = 1;
  /// Nine particles of ten are in the drop, whose diameter is a quarter of the box's side.
  box in() const;
};

/// The box in patches of whole cells.
struct cut {
  std::uint32_t x = 16, y = 16;
  std::size_t patches() const { return std::size_t{x} * y; }
};
/// A patch has at least so many cells along each axis: who was in it is
/// within its neighbours after a step, and not beyond their first cells.
inline constexpr std::uint32_t least_cells = 3;

/// Throws W36 if the patches would be too few to have eight neighbours each, or too small.
void check(const problem& p, const cut& c);

/// At rest in the wind, but for heat. By id.
std::vector<particle> start_of(const problem& p);

}  // namespace particles
