// 19_objects.cpp - arrays that the runtime moves, and launches that it orders and places.
//
// This program shows objects. An object is an array without a fixed location: the runtime copies the parts that a
// launch needs to the device that runs it. It orders launches by the elements that they read and write, and a scheduler
// chooses the device for each; the host is one of them. It helps readers who have several devices in one machine and
// would rather not place each array themselves.
//
// Heat spreads over a plate, and each step launches one kernel per tile. Run it with STRETTO_DEVICES=opencl (or cuda,
// or all); without that, it uses two simulated devices.
//
// Output
//   1600 launches on the host and 2 devices
//   as a serial loop: true
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

// clang-format off
STRETTO_KERNEL(heat, (in<float, 2> u, out<float, 2> v, float c), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = u(i, j) + c * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
})
// clang-format on

constexpr int n = 258, tiles = 4, steps = 100;
constexpr float c = 0.2f;

std::vector<float> serial(std::vector<float> u) {
  std::vector<float> v = u;
  for (int s = 0; s < steps; ++s, std::swap(u, v))
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) {
        const float* at = &u[i * n + j];
        v[i * n + j] = at[0] + c * (at[-n] + at[n] + at[-1] + at[1] - 4 * at[0]);
      }
  return u;
}

int main() {
  runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim:2";
  runtime rt(options);
  rt.run([&] {
    std::vector<float> plate(n * n);
    for (int i = 100; i < 150; ++i)
      for (int j = 60; j < 90; ++j) plate[i * n + j] = 100;
    const box whole({0, 0}, {n, n});
    object<float, 2> u(whole, plate.data(), {.name = "u"}), v(whole, plate.data(), {.name = "v"});

    const int side = (n - 2) / tiles;
    int launches = 0;
    for (int s = 0; s < steps; ++s, std::swap(u, v))
      for (int a = 0; a < tiles; ++a)
        for (int b = 0; b < tiles; ++b, ++launches) {
          const box inner({1 + a * side, 1 + b * side}, {1 + (a + 1) * side, 1 + (b + 1) * side});
          const box with_border({a * side, b * side}, {(a + 1) * side + 2, (b + 1) * side + 2});
          launch(heat, inner, u(with_border), v(inner), c);
        }
    std::printf("%d launches on the host and %zu devices\n", launches, rt.machine().places(place_kind::gpu).size());

    const std::vector<float> expected = serial(plate);
    const auto seen = u.read().get();
    bool same = true;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) same = same && std::abs(seen.view()(i, j) - expected[i * n + j]) < 1e-3f;
    std::printf("as a serial loop: %s\n", same ? "true" : "false");
  });
}
