// Objects of vectors and bools, and kernels of templates and scopes on them, on the host and on devices.
#include <stretto/kernel_template.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::objects_of_several_types {
namespace {

// clang-format off
STRETTO_KERNEL_TEMPLATE((class V, int Steps), pushed, (inout<V> at, in<V> by, in<bool> is_fixed), {
  int i = global_id(0);
  for (int step = 0; step < Steps; ++step)
    if (!is_fixed(i)) at(i) += 2 * by(i);
})
struct flag_kernels {
  STRETTO_SCOPED_KERNEL(turned, (inout<bool> flags, bool by), { int i = global_id(0); flags(i) = flags(i) != by; })
};
// clang-format on

template <class V>
void check_pushed() {
  std::vector<V> at(40, V(1)), by(40, V(3));
  object<V> x(box(0, 40), at.data()), y(box(0, 40), by.data());
  const bool none[40] = {true};
  object<bool> fixed(box(0, 40), none);
  launch(flag_kernels::turned, box(1, 40), fixed, true);
  launch(pushed<V, 2>, box(0, 40), x, y, fixed);
  launch(flag_kernels::turned, box(0, 40), fixed, true);
  launch(pushed<V, 1>, box(0, 40), x, y, fixed);
  const auto seen = x.read().get();
  const auto flags = fixed.read().get();
  int wrong = 0;
  for (coordinate i = 0; i < 40; ++i) wrong += seen.view()(i).y != 7 || flags.view()(i) != (i > 39);
  CHECK(wrong == 0);
}

TEST_CASE("objects of vectors and bools are computed alike by the host and by devices") {
  for (const std::string& devices : test::usable_devices({"none", "sim", "opencl:1"}, "objects of several types"))
    for (const char* check : {"0", "1"}) {
      INFO(devices << ", checked " << check);
      const test::with_variable checked("STRETTO_CHECK", check);
      runtime rt({.workers = 2, .devices = devices});
      rt.run([] {
        check_pushed<float4>();
        check_pushed<int2>();
      });
    }
}

}  // namespace
}  // namespace stretto::objects_of_several_types
