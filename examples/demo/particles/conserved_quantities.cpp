#include "demo/particles/conserved_quantities.hpp"

#include <fmt/format.h>

#include <cmath>

#include <stretto/error.hpp>

#include "demo/particles/serial_reference.hpp"

namespace particles {
namespace {

constexpr double most_energy_lost = 2e-3, most_momentum = 1e-9;  // for each particle

}  // namespace

conserved_quantities conserved_by(const box& b, const std::vector<particle>& all) {
  conserved_quantities k{.count = all.size(), .momentum = {}, .energy = potential_of(b, all)};
  for (const particle& q : all)
    for (unsigned axis = 0; axis < 2; ++axis) {
      k.momentum[axis] += q.velocity[axis];
      k.energy += 0.5 * q.velocity[axis] * q.velocity[axis];
    }
  return k;
}

void check_conserved(const conserved_quantities& before, const conserved_quantities& after) {
  const auto refuse = [](const char* what, double from, double to) {
    throw stretto::error("W37", fmt::format("the particles do not conserve their {}", what))
        .fact("before", fmt::format("{:.9g}", from))
        .fact("after", fmt::format("{:.9g}", to))
        .because("forces between particles conserve their number, momentum and energy")
        .remedy("this is a fault of Stretto: please report it with the command line");
  };
  const auto count = static_cast<double>(before.count);
  if (before.count != after.count) refuse("number", count, static_cast<double>(after.count));
  for (unsigned axis = 0; axis < 2; ++axis)
    if (!(std::fabs(after.momentum[axis] - before.momentum[axis]) <= most_momentum * count))
      refuse("momentum", before.momentum[axis], after.momentum[axis]);
  if (!(std::fabs(after.energy - before.energy) <= most_energy_lost * count))
    refuse("energy", before.energy, after.energy);
}

}  // namespace particles
