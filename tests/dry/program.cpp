// A stencil on buffers that looks at its result, guarded for dry runs or (first argument "unguarded") not, or that
// fails ("fails").
#include <cstdio>
#include <cstring>
#include <utility>

#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_KERNEL(set_up, (out<float, 2> u), { u(global_id(0), global_id(1)) = global_id(0); })
STRETTO_KERNEL(mean, (in<float, 2> u, out<float, 2> v, int n), {
  const int i = global_id(0);
  const int j = global_id(1);
  v(i, j) = (i > 0 && i + 1 < n) ? 0.5f * (u(i - 1, j) + u(i + 1, j)) : u(i, j);
})

int main(int arguments, char** words) {
  const char* const how = arguments > 1 ? words[1] : "";
  runtime rt({.workers = 1});
  rt.run([&] {
    constexpr int n = 16;
    const box plate({0, 0}, {n, n});
    buffer<float, 2> u(plate, {.name = "u"}), v(plate, {.name = "v"});
    launch(set_up, plate, u(one_to_one));
    for (int s = 0; s < 2; ++s) {
      launch(mean, plate, u(neighborhood(1, 0)), v(one_to_one), n);
      std::swap(u, v);
    }
    auto seen = u.read();
    if (!is_dry_run() || std::strcmp(how, "unguarded") == 0) std::printf("%g\n", seen.get().view()(3, 0));
    else std::printf("N%u of %u\n", this_node(), job_nodes());
  });
  return std::strcmp(how, "fails") == 0 ? 7 : 0;
}
