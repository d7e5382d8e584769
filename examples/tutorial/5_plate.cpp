// 5_plate.cpp - heat in a plate, computed by all devices of all nodes.
#include <cstdio>
#include <utility>

#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_KERNEL(start, (out<float, 2> u), { u(global_id(0), global_id(1)) = global_id(0) == 0 ? 100.0f : 0.0f; })
STRETTO_KERNEL(diffuse, (in<float, 2> u, out<float, 2> v), {
  int i = global_id(0);
  int j = global_id(1);
  v(i, j) = 0.25f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
})
STRETTO_KERNEL(compare, (in<float, 2> u, in<float, 2> v, reduce<maximum<float>> change), {
  float now = u(global_id(0), global_id(1));
  float before = v(global_id(0), global_id(1));
  change(0) << (now > before ? now - before : before - now);
})

int main() {
  runtime rt;
  rt.run([] {
    constexpr int n = 256;
    const box plate({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
    buffer<float, 2> u(plate, {.name = "u"}), v(plate, {.name = "v"});
    buffer<float> change(box(0, 1), {.name = "change"});
    launch(start, plate, u(one_to_one));
    launch(start, plate, v(one_to_one));
    for (int step = 0; step < 100; ++step) {
      launch(diffuse, inside, u(star(1)), v(one_to_one));
      std::swap(u, v);
    }
    launch(compare, inside, u(one_to_one), v(one_to_one), change.from_identity());
    const float most = change.read().get().view()(0);
    const auto seen = u.read(box({1, n / 2}, {3, n / 2 + 1})).get();
    if (this_node() == 0)
      std::printf("next to the hot edge: %.3f %.3f, last change %.3f at most\n", seen.view()(1, n / 2),
                  seen.view()(2, n / 2), most);
  });
}
