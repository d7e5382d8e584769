// 40_how_it_scales.cpp - a program whose run time on a large cluster is predicted without one.
//
// This application shows dry runs. `stretto scaling` runs the program as jobs of 1, 2, 4, ... nodes without computing
// anything, and predicts how long each job takes. It helps readers who have to say how many nodes are worth asking for.
//
//   stretto scaling --up-to 4096 --devices 4 -- 40_how_it_scales wave 16384 100
//
// In a dry run, kernels do not run and reads have no data, so code that looks at results asks is_dry_run() first. The
// program reads few elements, because every node gets what is read. Launches make the initial values, cut like the
// later launches. The arguments are a problem (wave, bodies or room), its size (points along a side, bodies, or
// patches), and a number of steps. A run that is not dry uses the devices of STRETTO_DEVICES.
//
// Output
//   a wave on 256 x 256 points, 50 steps: it is the same in both halves
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_DEVICE_STRUCT(vector3, {
  double x;
  double y;
  double z;
})

// clang-format off
STRETTO_KERNEL(hill, (out<double, 2> u, int n), {
  const double x = 2.0 * global_id(0) / (n - 1) - 1;
  const double y = 2.0 * global_id(1) / (n - 1) - 1;
  u(global_id(0), global_id(1)) = (1 - x * x) * (1 - y * y) * (1 - x * x) * (1 - y * y);
})
STRETTO_KERNEL(swing, (in<double, 2> now, inout<double, 2> other), {
  const int i = global_id(0);
  const int j = global_id(1);
  other(i, j) = 2 * now(i, j) - other(i, j) + 0.25 * ((now(i - 1, j) + now(i + 1, j)) + (now(i, j - 1) + now(i, j + 1)) - 4 * now(i, j));
})
STRETTO_KERNEL(attract, (in<vector3> x, inout<vector3> v, int count), {
  const int i = global_id(0);
  for (int j = 0; j < count; ++j) {
    const double dx = x(j).x - x(i).x;
    const double dy = x(j).y - x(i).y;
    const double dz = x(j).z - x(i).z;
    const double r2 = dx * dx + dy * dy + dz * dz + 0.01;
    const double pull = 0.001 / (r2 * sqrt(r2) * count);
    v(i).x += pull * dx;
    v(i).y += pull * dy;
    v(i).z += pull * dz;
  }
})
STRETTO_KERNEL(move_on, (inout<vector3> x, in<vector3> v), {
  const int i = global_id(0);
  x(i).x += v(i).x;
  x(i).y += v(i).y;
  x(i).z += v(i).z;
})
STRETTO_KERNEL(total, (in<vector3> v, reduce<sum<double>> all), { all(0) << v(global_id(0)).x; })
STRETTO_KERNEL(radiate, (in<double, 2> earlier, out<double, 2> now, int count), {
  const int t = global_id(0);
  const int i = global_id(1);
  double lit = t == 0 ? 1 : 0;
  for (int s = 0; s < t; ++s) lit += earlier(s, (i + 7 * (t - s)) % count) / (2 * t);
  now(t, i) = lit;
})
// clang-format on

void wave(int n, int steps) {
  const box all_points({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
  buffer<double, 2> before(all_points, {.name = "before"}), now(all_points, {.name = "now"});
  for (const auto& u : {before, now}) launch(in_tiles, hill, all_points, u(one_to_one), n);
  for (int s = 0; s < steps; ++s) {
    launch(in_tiles, swing, inside, now(star(1)), before(one_to_one));
    std::swap(before, now);
  }
  const auto one = now.read({{n / 4, n / 3}, {n / 4 + 1, n / 3 + 1}}),
             other = now.read({{n - 1 - n / 4, n / 3}, {n - n / 4, n / 3 + 1}});
  if (is_dry_run() || this_node() != 0) return;
  const bool is_so = std::abs(one.get().view()(n / 4, n / 3) - other.get().view()(n - 1 - n / 4, n / 3)) < 1e-12;
  std::printf("a wave on %d x %d points, %d steps: it is %sthe same in both halves\n", n, n, steps,
              is_so ? "" : "NOT ");
}

void bodies(int count, int steps) {
  const buffer<vector3> x(
      box(0, count), [](int i) { return vector3{(i * 37 % 101) / 101.0, (i * 53 % 89) / 89.0, (i * 29 % 97) / 97.0}; },
      {.name = "x"});
  const buffer<vector3> v(box(0, count), [](int) { return vector3{0, 0, 0}; }, {.name = "v"});
  for (int s = 0; s < steps; ++s) {
    launch(attract, x.elements(), x(all), v(one_to_one), count);
    launch(move_on, x.elements(), x(one_to_one), v(one_to_one));
  }
  const buffer<double> momentum(box(0, 1), {.name = "momentum"});
  launch(total, x.elements(), v(one_to_one), momentum.from_identity());
  const auto seen = momentum.read();
  if (is_dry_run() || this_node() != 0) return;
  std::printf("%d bodies, %d steps: their momentum is %sstill 0\n", count, steps,
              std::abs(seen.get().view()(0)) < 1e-9 ? "" : "NOT ");
}

void room(int patches, int steps) {
  const buffer<double, 2> light({{0, 0}, {steps, patches}}, {.name = "light"});
  for (int t = 0; t < steps; ++t)
    launch(radiate, box({t, 0}, {t + 1, patches}), light(fixed({{0, 0}, {t, patches}})), light(one_to_one), patches);
  const auto one = light.read({{steps - 1, 0}, {steps, 1}}),
             other = light.read({{steps - 1, patches - 1}, {steps, patches}});
  if (is_dry_run() || this_node() != 0) return;
  const bool is_so = one.get().view()(steps - 1, 0) == other.get().view()(steps - 1, patches - 1);
  std::printf("a room of %d patches, %d steps: all are %sas bright\n", patches, steps, is_so ? "" : "NOT ");
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "wave";
  const int size = count > 2 ? std::atoi(arguments[2]) : 256, steps = count > 3 ? std::atoi(arguments[3]) : 50;
  runtime rt;
  rt.run([&] {
    if (std::strcmp(what, "bodies") == 0) return bodies(size, steps);
    if (std::strcmp(what, "room") == 0) return room(size, steps);
    wave(size, steps);
  });
}
