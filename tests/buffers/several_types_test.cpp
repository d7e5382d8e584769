// Buffers of vectors and bools, and kernels of templates and scopes on them, on several nodes and on devices.
#include <stretto/buffer.hpp>
#include <stretto/kernel_template.hpp>

#include <doctest/doctest.h>

#include "buffers/nodes_with_devices.hpp"

namespace stretto::buffers_of_several_types {
namespace {

// clang-format off
STRETTO_KERNEL_TEMPLATE((class V, int Width), summed_around, (in<V> x, out<V> y, out<bool> is_large), {
  int i = global_id(0);
  V sum = x(i);
  for (int d = 1; d <= Width; ++d) sum += x(i - d) + x(i + d);
  y(i) = sum;
  is_large(i) = sum.x > 60;
})
// clang-format on

TEST_CASE("buffers of vectors and bools are divided among nodes and devices as others are") {
  test::on_nodes_with_devices([] {
    const buffer<float4> x(box(0, 50), [](coordinate i) { return float4(static_cast<float>(i), 1, 2, 3); }),
        y(box(0, 50));
    const buffer<bool> large(box(0, 50));
    STRETTO_SCOPED_KERNEL(doubled, (inout<float4> v), { v(global_id(0)) *= 2; })
    launch(doubled, box(0, 50), x(one_to_one));
    launch(summed_around<float4, 2>, box(2, 48), x(neighborhood(2)), y(one_to_one), large(one_to_one));
    const auto seen = y.read().get();
    const auto flags = large.read().get();
    int wrong = 0;
    for (coordinate i = 2; i < 48; ++i) {
      const float4 v = seen.view()(i);
      wrong +=
          v.x != static_cast<float>(10 * i) || v.y != 10 || v.z != 20 || v.w != 30 || flags.view()(i) != (10 * i > 60);
    }
    CHECK(wrong == 0);
  });
}

}  // namespace
}  // namespace stretto::buffers_of_several_types
