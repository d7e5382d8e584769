#include <stretto/instance.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::values_per_item {
namespace {

STRETTO_GROUP_KERNEL(sums_per_item, (in<float> x, out<float> y), {
  auto sum = per_item<float>();
  auto count = per_item<int>();
  each_item([&](item it) {
    for (int k = 0; k < 4; ++k) {
      sum(it) += x(it.global_id(0));
      count(it) += 1;
    }
  });
  each_item([&](item it) { y(it.global_id(0)) = sum(it) + count(it); });
})

TEST_CASE("a value for each item is zero when its group begins, whatever groups before it left there") {
  for (const std::string& devices : test::usable_devices({"none", "sim", "opencl:1"}, "values for each item")) {
    INFO(devices);
    for (const char* check : {"0", "1"}) {
      const test::with_variable checked("STRETTO_CHECK", check);
      runtime rt({.workers = 1, .devices = devices});
      rt.run([&] {
        const std::vector<float> ones(64, 1.0f);
        object<float> x(box(0, 64), ones.data()), y(box(0, 64));
        for (int times = 0; times < 3; ++times) {
          launch(sums_per_item, in_groups({0, 8}, 8), x, y);
          const auto seen = y.read().get();
          int wrong = 0;
          for (coordinate i = 0; i < 64; ++i) wrong += seen.view()(i) != 8.0f;
          CHECK(wrong == 0);
        }
      });
    }
  }
}

}  // namespace
}  // namespace stretto::values_per_item
