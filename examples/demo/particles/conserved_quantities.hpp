// conserved_quantities.hpp - conserved quantities of the particles: a check of a run without a reference run.
//
// Threads     pure functions.
// Errors      W37 a quantity is not conserved.
#pragma once

#include <cstddef>
#include <vector>

#include "demo/particles/problem.hpp"

namespace particles {

/// Quantities that forces between particles do not change.
struct conserved_quantities {
  std::size_t count = 0;
  pair momentum = {};
  double energy = 0;  // kinetic, in the wind, and potential
};
conserved_quantities conserved_by(const box& b, const std::vector<particle>& all);

/// Throws W37 if it is not the same, but for rounding and the length of a step.
void check_conserved(const conserved_quantities& before, const conserved_quantities& after);

}  // namespace particles
