// 33_bodies.cpp - bodies that attract each other, every one every other: positions that all nodes need, velocities that stay where they are.
//
// `x(all)` says that each part reads every position: after each step every node sends its own to all others. Nothing else travels.
//
// Three bodies of equal mass chase each other along a figure eight and are back after 6.32591398 (Chenciner and Montgomery, 2000); a cluster keeps
// its energy. `stretto run -n 4 33_bodies` makes the simulated job of three nodes, or of as many as its argument says, four processes.
//
// Output
//   a figure eight: each body is back after one period, within 1e-3
//   a cluster of 130 bodies, 100 steps: as a serial run
//   its energy of -0.4301 has changed by less than 1e-4 of it
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "on_nodes.hpp"

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
  double mass, soft;
  std::vector<vector3> x, v;
};

bodies on_nodes(bodies b, int steps, double dt) {
  const int count = static_cast<int>(b.x.size());
  const box every(0, count);
  buffer<vector3> x(every, b.x.data(), {.name = "positions"}), v(every, b.v.data(), {.name = "velocities"});
  for (int s = 0; s < steps; ++s) {  // a drift, the attraction, a drift: leapfrog
    launch(drift, every, x(one_to_one), v(one_to_one), dt / 2);
    launch(attract, every, x(all), v(one_to_one), count, b.mass, b.soft, dt);
    launch(drift, every, x(one_to_one), v(one_to_one), dt / 2);
  }
  const auto later_x = x.read(), later_v = v.read();
  if (is_dry_run()) return b;  // nothing is computed then (example 40)
  const auto &seen_x = later_x.get(), &seen_v = later_v.get();
  for (int i = 0; i < count; ++i) b.x[std::size_t(i)] = seen_x.view()(i), b.v[std::size_t(i)] = seen_v.view()(i);
  return b;
}

bodies serially(bodies b, int steps, double dt) {
  const auto drift_by = [&](double time) {
    for (std::size_t i = 0; i < b.x.size(); ++i)
      b.x[i].x += time * b.v[i].x, b.x[i].y += time * b.v[i].y, b.x[i].z += time * b.v[i].z;
  };
  for (int s = 0; s < steps; ++s) {
    drift_by(dt / 2);
    for (std::size_t i = 0; i < b.x.size(); ++i)
      for (std::size_t j = 0; j < b.x.size(); ++j) {
        if (j == i) continue;
        const vector3 d{b.x[j].x - b.x[i].x, b.x[j].y - b.x[i].y, b.x[j].z - b.x[i].z};
        const double r2 = d.x * d.x + d.y * d.y + d.z * d.z + b.soft, pull = dt * b.mass / (r2 * std::sqrt(r2));
        b.v[i].x += pull * d.x, b.v[i].y += pull * d.y, b.v[i].z += pull * d.z;
      }
    drift_by(dt / 2);
  }
  return b;
}

double distance(const vector3& a, const vector3& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

double energy(const bodies& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    sum += b.mass * std::pow(distance(b.v[i], {0, 0, 0}), 2) / 2;
    for (std::size_t j = 0; j < i; ++j) sum -= b.mass * b.mass / std::sqrt(std::pow(distance(b.x[i], b.x[j]), 2) + b.soft);
  }
  return sum;
}

/// How far a body of one is from the same of the other, at most.
double difference(const bodies& a, const bodies& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) most = std::fmax(most, distance(a.x[i], b.x[i]));
  return most;
}

void program() {
  const vector3 x{0.97000436, -0.24308753, 0}, v{0.466203685, 0.43236573, 0};
  const bodies eight{1, 0, {x, {-x.x, -x.y, 0}, {0, 0, 0}}, {v, v, {-2 * v.x, -2 * v.y, 0}}};
  const double away = difference(on_nodes(eight, 500, 6.32591398 / 500), eight);

  bodies cluster{1.0 / 130, 0.01, {}, {}};
  std::minstd_rand random(7);
  const auto number = [&] { return std::uniform_real_distribution(-1.0, 1.0)(random); };
  for (int i = 0; i < 130; ++i) cluster.x.push_back({number(), number(), number()}), cluster.v.push_back({0.3 * number(), 0.3 * number(), 0});
  const bodies later = on_nodes(cluster, 100, 0.01);
  const double before = energy(cluster), change = std::abs(energy(later) / before - 1);

  if (is_dry_run() || this_node() != 0) return;
  std::printf("a figure eight: each body is%s back after one period, within 1e-3\n", away < 1e-3 ? "" : " NOT");
  std::printf("a cluster of 130 bodies, 100 steps: %s a serial run\n", difference(later, serially(cluster, 100, 0.01)) < 1e-9 ? "as" : "NOT as");
  std::printf("its energy of %.4f has%s changed by less than 1e-4 of it\n", before, change < 1e-4 ? "" : " NOT");
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
