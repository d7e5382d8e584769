// 37_bodies.cpp - gravity between all pairs of bodies, on distributed buffers.
//
// This application computes bodies that attract each other. It shows a launch whose parts all read one whole array:
// x(all) makes every node send its positions to all others after each step. Velocities stay where they are. It helps
// readers who would call MPI_Allgather in each step.
//
// The code is in bodies.hpp, which `stretto demo bodies` uses too. Three bodies of equal mass chase each other along a
// figure eight and are back after 6.32591398 (Chenciner and Montgomery, 2000); a cluster keeps its energy.
//
// Started alone, the program simulates three nodes in one process, or as many as its argument says. `stretto run -n 4
// 37_bodies` starts four processes instead.
//
// Output
//   a figure eight: each body is back after one period, within 1e-3
//   a cluster of 130 bodies, 100 steps: as a serial run
//   its energy of -0.4301 has changed by less than 1e-4 of it
#include <cmath>
#include <cstdio>
#include <random>

#include "bodies.hpp"
#include "on_nodes.hpp"

using namespace stretto;
using namespace gravity;

void program() {
  const vector3 x{0.97000436, -0.24308753, 0}, v{0.466203685, 0.43236573, 0};
  const bodies eight{1, 0, {x, {-x.x, -x.y, 0}, {0, 0, 0}}, {v, v, {-2 * v.x, -2 * v.y, 0}}};
  const auto round = on_nodes(eight, {500, 6.32591398 / 500});

  bodies cluster{1.0 / 130, 0.01, {}, {}};
  std::minstd_rand random(7);
  const auto number = [&] { return std::uniform_real_distribution(-1.0, 1.0)(random); };
  for (int i = 0; i < 130; ++i)
    cluster.x.push_back({number(), number(), number()}), cluster.v.push_back({0.3 * number(), 0.3 * number(), 0});
  const auto later = on_nodes(cluster, {100, 0.01});

  if (is_dry_run() || this_node() != 0) return;
  const double away = difference(round.back(), eight);
  const double before = energy(cluster), change = std::abs(energy(later.back()) / before - 1);
  std::printf("a figure eight: each body is%s back after one period, within 1e-3\n", away < 1e-3 ? "" : " NOT");
  std::printf("a cluster of 130 bodies, 100 steps: %s a serial run\n",
              difference(later.back(), serially(cluster, {100, 0.01})) < 1e-9 ? "as" : "NOT as");
  std::printf("its energy of %.4f has%s changed by less than 1e-4 of it\n", before, change < 1e-4 ? "" : " NOT");
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
