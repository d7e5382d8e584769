// 3_kernels.cpp - heat in a rod: kernels on arrays that lie in the memory of the host or of devices, as needed.
#include <cstdio>
#include <utility>

#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_KERNEL(start, (out<float> u), { u(global_id(0)) = global_id(0) == 0 ? 100.0f : 0.0f; })
STRETTO_KERNEL(diffuse, (in<float> u, out<float> v), {
  int i = global_id(0);
  v(i) = u(i) + 0.25f * (u(i - 1) - 2 * u(i) + u(i + 1));
})
STRETTO_KERNEL(add_up, (in<float> u, reduce<sum<double>> total), { total(0) << u(global_id(0)); })

int main() {
  runtime rt;
  rt.run([] {
    const box rod(0, 10'000), inside(1, 9'999);
    object<float> u(rod, {.name = "u"}), v(rod, {.name = "v"});
    object<double> total(box(0, 1), {.name = "total"});
    launch(start, rod, u);
    launch(start, rod, v);
    for (int step = 0; step < 100; ++step) {
      launch(diffuse, inside, u, v(inside));
      std::swap(u, v);
    }
    launch(add_up, rod, u, total);
    const auto seen = u.read(box(0, 3)).get();
    std::printf("the hot end: %.2f %.2f %.2f\n", seen.view()(0), seen.view()(1), seen.view()(2));
    std::printf("all the heat: %.1f\n", total.read().get().view()(0));
  });
}
