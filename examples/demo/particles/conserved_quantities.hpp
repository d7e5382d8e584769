// conserved_quantities.hpp - what particles keep, whatever they do to one another: a check of a run that needs no other
// run.
//
// Threads     pure functions.
// Errors      W37 what is not kept.
#pragma once

#include <cstddef>
#include <vector>

#include "demo/particles/problem.hpp"

namespace particles {

/// What no force between particles changes.
struct conserved_quantities {
  std::size_t count = 0;
  pair momentum = {};
  double energy = 0;  // kinetic, in the wind, and potential
};
conserved_quantities conserved_by(const box& b, const std::vector<particle>& all);

/// Throws W37 if it is not the same, but for rounding and the length of a step.
void check_conserved(const conserved_quantities& before, const conserved_quantities& after);

}  // namespace particles
