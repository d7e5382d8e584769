// energy.hpp - the energy that the discrete scheme conserves.
//
// Threads     pure.
// Invariants  without sources and border the value is constant from step to step, up to rounding; inside the
//             stability limit it is never negative.
// Source      the leapfrog's discrete energy: Cohen, "Higher-Order Numerical Methods for Transient Wave
//             Equations", chapter 2. Kinetic from the difference of two time levels, potential from their product:
//             1/2 sum over cells of (next - current)^2 / c - next * L current.
#pragma once

#include "demo/wave/field.hpp"

namespace stretto::wave {

struct energy {
  double kinetic = 0, potential = 0;
  double total() const { return kinetic + potential; }
  energy& operator+=(const energy& other) {
    kinetic += other.kinetic;
    potential += other.potential;
    return *this;
  }
};

/// The energy of the cells of one tile between time n (`current`, readable `halo` cells beyond) and n + 1, in
/// double. The energies of disjoint tiles add up. The unit is that of u squared: the cell's area cancels.
energy energy_between(field_view<const float> next, field_view<const float> current,
                      field_view<const float> coefficient);

}  // namespace stretto::wave
