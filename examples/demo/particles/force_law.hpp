// force_law.hpp - how particles act on one another, in a square box without borders, and how they go on.
//
// Lennard-Jones in reduced units: lengths in diameters, energies in depths of the well, masses 1. The potential ends at
// `reach`, where it is raised to 0. Places are fractions of the box in 32 bits: who leaves it on one side comes back on
// the other, and distances are exact. A wind carries all particles alike; velocities are those in it.
//
// Threads     pure functions.
// Source      Verlet's method in velocities: Swope, Andersen, Berens, Wilson, 1982.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace particles {

using place = std::array<std::uint32_t, 2>;  // x, y
using pair = std::array<double, 2>;

struct particle {
  std::uint32_t id = 0;
  place at = {};
  pair velocity = {}, force = {};
};

inline constexpr double reach = 2.5, time_step = 0.005;

/// Of a box of that side, in diameters.
inline double unit_of(double side) { return side / 4294967296.0; }
/// From one to the other, the short way round.
inline pair way(const place& from, const place& to, double unit) {
  return {static_cast<std::int32_t>(to[0] - from[0]) * unit, static_cast<std::int32_t>(to[1] - from[1]) * unit};
}

/// Adds the force on who sees the other that far away; 0 beyond the reach.
inline void add_force(pair& sum, const pair& away) {
  const double squared = away[0] * away[0] + away[1] * away[1];
  if (squared >= reach * reach) return;
  const double inverse = 1 / squared, sixth = inverse * inverse * inverse;
  const double pull = 24 * inverse * (sixth - 2 * sixth * sixth);
  sum[0] += pull * away[0];
  sum[1] += pull * away[1];
}

/// Of a pair that far apart.
inline double potential(const pair& away) {
  const double squared = away[0] * away[0] + away[1] * away[1];
  if (squared >= reach * reach) return 0;
  const auto at = [](double r2) { return 4 * (1 / (r2 * r2 * r2) - 1) / (r2 * r2 * r2); };
  return at(squared) - at(reach * reach);
}

/// Half a step of its velocity.
inline void kick(particle& p) {
  p.velocity[0] += 0.5 * time_step * p.force[0];
  p.velocity[1] += 0.5 * time_step * p.force[1];
}

/// A step of its place.
inline void drift(particle& p, double unit, const place& wind) {
  for (unsigned axis = 0; axis < 2; ++axis)
    p.at[axis] += wind[axis] + static_cast<std::uint32_t>(
                                   static_cast<std::int64_t>(std::nearbyint(p.velocity[axis] * time_step / unit)));
}

}  // namespace particles
