// bodies.hpp - bodies of one mass that attract each other, every one every other, on buffers: what an example and
// `stretto demo bodies` share.
//
// Threads     on_nodes is called inside run() of every node; the rest is pure.
// Source      leapfrog: a drift of half a step, the attraction, a drift; softened attraction: S. Aarseth, MNRAS 126
//             (1963).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <stretto/stretto.hpp>

namespace gravity {

using namespace stretto;

// clang-format off
STRETTO_DEVICE_STRUCT(vector3, { double x; double y; double z; })
STRETTO_KERNEL(attract, (in<vector3> x, inout<vector3> v, int count, double mass, double soft, double dt), {
  const int i = global_id(0);
  for (int j = 0; j < count; ++j) {
    if (j == i) continue;
    const double dx = x(j).x - x(i).x;
    const double dy = x(j).y - x(i).y;
    const double dz = x(j).z - x(i).z;
    const double r2 = dx * dx + dy * dy + dz * dz + soft;
    const double pull = dt * mass / (r2 * sqrt(r2));
    v(i).x += pull * dx;
    v(i).y += pull * dy;
    v(i).z += pull * dz;
  }
})
STRETTO_KERNEL(drift, (inout<vector3> x, in<vector3> v, double dt), {
  const int i = global_id(0);
  x(i).x += dt * v(i).x;
  x(i).y += dt * v(i).y;
  x(i).z += dt * v(i).z;
})
// clang-format on

struct bodies {
  double mass, soft;  // of each body; the square of the distance within which they attract less
  std::vector<vector3> x, v;
};

struct course {
  int steps;
  double dt;
  int every = steps;  // steps from one moment that is kept to the next
};

/// The moments after each `every` steps, the same on every node; none in a dry run, in which nothing is computed
/// (example 40).
inline std::vector<bodies> on_nodes(const bodies& b, const course& c) {
  const int count = static_cast<int>(b.x.size());
  const box each(0, count);
  const buffer<vector3> x(each, b.x.data(), {.name = "positions"}), v(each, b.v.data(), {.name = "velocities"});
  std::vector<bodies> moments;
  for (int s = 1; s <= c.steps; ++s) {
    launch(drift, each, x(one_to_one), v(one_to_one), c.dt / 2);
    launch(attract, each, x(all), v(one_to_one), count, b.mass, b.soft, c.dt);
    launch(drift, each, x(one_to_one), v(one_to_one), c.dt / 2);
    if (s % c.every != 0) continue;
    const auto later_x = x.read(), later_v = v.read();  // launches that write them wait until these are gone
    if (is_dry_run()) continue;
    const auto &seen_x = later_x.get(), &seen_v = later_v.get();
    bodies& now = moments.emplace_back(b);
    for (int i = 0; i < count; ++i) now.x[std::size_t(i)] = seen_x.view()(i), now.v[std::size_t(i)] = seen_v.view()(i);
  }
  return moments;
}

inline bodies serially(bodies b, const course& c) {
  const auto drift_by = [&](double time) {
    for (std::size_t i = 0; i < b.x.size(); ++i)
      b.x[i].x += time * b.v[i].x, b.x[i].y += time * b.v[i].y, b.x[i].z += time * b.v[i].z;
  };
  for (int s = 0; s < c.steps; ++s) {
    drift_by(c.dt / 2);
    for (std::size_t i = 0; i < b.x.size(); ++i)
      for (std::size_t j = 0; j < b.x.size(); ++j) {
        if (j == i) continue;
        const vector3 d{b.x[j].x - b.x[i].x, b.x[j].y - b.x[i].y, b.x[j].z - b.x[i].z};
        const double r2 = d.x * d.x + d.y * d.y + d.z * d.z + b.soft, pull = c.dt * b.mass / (r2 * std::sqrt(r2));
        b.v[i].x += pull * d.x, b.v[i].y += pull * d.y, b.v[i].z += pull * d.z;
      }
    drift_by(c.dt / 2);
  }
  return b;
}

inline double distance(const vector3& a, const vector3& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

inline double energy(const bodies& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    sum += b.mass * std::pow(distance(b.v[i], {0, 0, 0}), 2) / 2;
    for (std::size_t j = 0; j < i; ++j)
      sum -= b.mass * b.mass / std::sqrt(std::pow(distance(b.x[i], b.x[j]), 2) + b.soft);
  }
  return sum;
}

/// How far a body of one is from the same of the other, at most.
inline double difference(const bodies& a, const bodies& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) most = std::fmax(most, distance(a.x[i], b.x[i]));
  return most;
}

}  // namespace gravity
