#include "demo/particles/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <stretto/error.hpp>

namespace particles {
namespace {

constexpr double spacing = 1.12;  // of neighbours in the drop: where they hardly push or pull
constexpr double in_drop = 0.9, heat = 0.35;
constexpr double drop_to_box = 0.25;  // diameter to side

double drop_radius(const problem& p) {
  const double area = spacing * spacing * std::sqrt(3.0) / 2;  // of each, in rows that are shifted by half
  return std::sqrt(in_drop * p.count * area / std::numbers::pi);
}

/// Points of a lattice of shifted rows, nearest to the middle of the drop first; of equals in the order of rows.
std::vector<pair> places_in_drop(std::size_t count, double radius) {
  std::vector<pair> all;
  const double row = spacing * std::sqrt(3.0) / 2, beyond = radius + 3 * spacing;
  const int rows = static_cast<int>(beyond / row), columns = static_cast<int>(beyond / spacing) + 1;
  for (int j = -rows; j <= rows; ++j)
    for (int i = -columns; i <= columns; ++i) all.push_back({(i + (j & 1) * 0.5) * spacing, j * row});
  std::ranges::stable_sort(all, {}, [](const pair& a) { return a[0] * a[0] + a[1] * a[1]; });
  all.resize(std::min(count, all.size()));
  return all;
}

/// About the middle of the drop, far from it and from one another.
std::vector<pair> places_of_vapour(std::size_t count, double side, double radius) {
  std::vector<pair> all;
  const auto lines =
      static_cast<int>(std::ceil(std::sqrt(1.1 * static_cast<double>(count) / (1 - std::numbers::pi / 16))));
  for (int j = 0; j < lines; ++j)
    for (int i = 0; i < lines; ++i) {
      const pair at{((i + 0.5) / lines - 0.5) * side, ((j + 0.5) / lines - 0.5) * side};
      if (std::hypot(at[0], at[1]) > radius + 2 * reach) all.push_back(at);
    }
  // Some are left out, evenly.
  std::vector<pair> chosen;
  const std::size_t wanted = std::min(count, all.size());
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
  return chosen;
}

}  // namespace

box problem::in() const {
  const double side = 2 * drop_radius(*this) / drop_to_box;
  const auto cells = static_cast<std::uint32_t>(side / reach);
  const auto cell = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / cells);
  return {unit_of(side), cells, {cell / 3 * 2, cell}};
}

void check(const problem& p, const cut& c) {
  const std::uint32_t cells = p.in().cells;
  const auto refuse = [&](const std::string& why) {
    throw stretto::error("W36", fmt::format("{} particles cannot be split into {} x {} patches", p.count, c.x, c.y))
        .fact("box", fmt::format("{} x {} cells", cells, cells))
        .because(why)
        .remedy(fmt::format("--patches from 3x3 to {0}x{0}, or more --particles", std::max(3u, cells / least_cells)));
  };
  if (std::min(c.x, c.y) < 3) refuse("each patch has eight different neighbours");
  if (cells / std::max(c.x, c.y) < least_cells)
    refuse(fmt::format("each patch has {} cells along each axis, or more", least_cells));
}

std::vector<particle> start_of(const problem& p) {
  const double radius = drop_radius(p), side = 2 * radius / drop_to_box;
  auto places = places_in_drop(static_cast<std::size_t>(in_drop * p.count), radius);
  const auto vapour = places_of_vapour(p.count - places.size(), side, radius);
  places.insert(places.end(), vapour.begin(), vapour.end());

  std::mt19937_64 random(p.seed);
  const double fastest = std::sqrt(3 * heat);
  const auto drawn = [&] { return fastest * (2 * (static_cast<double>(random() >> 11) * 0x1p-53) - 1); };
  std::vector<particle> all;
  pair sum = {};
  for (const pair& at : places) {
    particle q{.id = static_cast<std::uint32_t>(all.size())};
    for (unsigned axis = 0; axis < 2; ++axis) {
      const double middle = axis ? 0.25 : 0.3;  // of the drop, in the box
      q.at[axis] = static_cast<std::uint32_t>(
          static_cast<std::int64_t>(std::nearbyint((middle + at[axis] / side) * 4294967296.0)));
      sum[axis] += q.velocity[axis] = drawn();
    }
    all.push_back(q);
  }
  for (particle& q : all)
    for (unsigned axis = 0; axis < 2; ++axis) q.velocity[axis] -= sum[axis] / static_cast<double>(all.size());
  return all;
}

}  // namespace particles
