#include "geo_slab.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace geo {
namespace {

constexpr float tolerance = 1e-4f;

float value_at_start(int z, int y, int x) { return static_cast<float>((z * 7 + y * 13 + x * 29) % 101) / 101; }

}  // namespace

arguments arguments::parse(int argc, char** argv) {
  arguments a;
  if (argc > 1) a.side = std::atoi(argv[1]);
  if (argc > 2) a.steps = std::max(1, std::atoi(argv[2]));
  return a;
}

slab slab::of(int process, int processes, int side) {
  const int inside = side - 2;
  if (inside / processes < 4)
    throw std::invalid_argument("a side of " + std::to_string(side) + " is too short: a slab has at least 4 planes");
  return {side, 1 + inside * process / processes, 1 + inside * (process + 1) / processes,
          process == 0 ? no_neighbour : process - 1, process + 1 == processes ? no_neighbour : process + 1};
}

void begin(const field& u) {
  const auto values = u.view();
  const stretto::box all = u.elements();
  for (auto z = all.min()[0]; z < all.max()[0]; ++z)
    for (auto y = all.min()[1]; y < all.max()[1]; ++y)
      for (auto x = all.min()[2]; x < all.max()[2]; ++x)
        values(z, y, x) = value_at_start(static_cast<int>(z), static_cast<int>(y), static_cast<int>(x));
}

stretto::runtime_options with_device() {
  stretto::runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim:1";
  return options;
}

float difference(const slab& s, int steps, const field& result) {
  const int n = s.side;
  std::vector<float> u(static_cast<std::size_t>(n) * n * n), v;
  const auto at = [n](int z, int y, int x) { return (static_cast<std::size_t>(z) * n + y) * n + x; };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) u[at(z, y, x)] = value_at_start(z, y, x);
  v = u;
  for (int step = 0; step < steps; ++step, u.swap(v))
    for (int z = 1; z < n - 1; ++z)
      for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x) {
          const float around = u[at(z - 1, y, x)] + u[at(z + 1, y, x)] + u[at(z, y - 1, x)] + u[at(z, y + 1, x)] +
                               u[at(z, y, x - 1)] + u[at(z, y, x + 1)];
          v[at(z, y, x)] = 0.4f * u[at(z, y, x)] + 0.1f * around;
        }
  float greatest = 0;
  const auto values = result.view();
  for (int z = s.first; z < s.last; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) greatest = std::max(greatest, std::abs(values(z, y, x) - u[at(z, y, x)]));
  return greatest;
}

int report(const char* version, int process, const slab& s, const arguments& given, float difference, double seconds) {
  const bool is_right = difference < tolerance;
  if (process != 0) return is_right ? 0 : 1;
  std::printf("GEO, %s: %d x %d x %d, %d steps\n", version, s.side, s.side, s.side, given.steps);
  if (is_right) std::printf("verified: as one loop over all planes\nseconds: %.6f\n", seconds);
  else std::printf("wrong: the greatest difference to one loop over all planes is %g\n", difference);
  return is_right ? 0 : 1;
}

}  // namespace geo
