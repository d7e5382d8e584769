// serial_reference.hpp - the same particles by one loop over the whole box: what every run is held against.
//
// Forces on a particle are added up in an order that does not depend on who does it: by rows of cells, cells and ids.
//
// Threads     pure functions.
#pragma once

#include <functional>
#include <vector>

#include "demo/particles/problem.hpp"

namespace particles {

/// `all` by id, before the first step; returns them after the last. Calls `after_step`, if there is one.
std::vector<particle> moved_serially(const problem& p, std::vector<particle> all,
                                     const std::function<void()>& after_step = {});

/// By id, too.
double potential_of(const box& b, const std::vector<particle>& all);

}  // namespace particles
