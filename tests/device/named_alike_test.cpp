// Kernels and functions that go by one name in two files of a program, each what its own file says. The other file: tests/data/named_alike_test.cpp.
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "usable_devices.hpp"

STRETTO_DEVICE_FUNCTION(int, changed_in_this_file, (int x), { return x + 1; })
STRETTO_KERNEL(named_alike, (inout<int> x), { x(global_id(0)) = changed_in_this_file(x(global_id(0))); })

TEST_CASE("a kernel of one file is not that of another file which goes by its name") {
  using namespace stretto;
  std::vector<std::string> kinds = test::usable_devices({"sim:1", "opencl:1"}, "kernels that are named alike");
  kinds.push_back("none");
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    runtime rt({.workers = 1, .devices = kind});
    rt.run([&] {
      const place ram = rt.machine().memories().front();
      const auto of_devices = rt.machine().places(place_kind::gpu_memory);
      const auto x = instance<int>::create(at(of_devices.empty() ? ram : of_devices.front()), {0, 4}).made, seen = instance<int>::create(at(ram), {0, 4}).made;
      const event filled = fill(x, 10);
      wait(copy(x, seen, after(launch(after(filled), named_alike, box(0, 4), x))));
      CHECK(seen.view()(3) == 11);
      x.destroy(), seen.destroy();
    });
  }
}
