// Devices whose drivers compile at the first launch of a group shape: that launch is not a measurement of the kernel.
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "device/launched_shapes.hpp"
#include "temporary_folder.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(first_launch_work, (inout<unsigned> x), {
  unsigned v = x(global_id(0));
  for (int n = 0; n < 20000; ++n) v = v * 1664525u + 1013904223u;
  x(global_id(0)) = v;
})
STRETTO_KERNEL(first_launch_plus, (inout<unsigned> x), { x(global_id(0)) += 1; })
STRETTO_GROUP_KERNEL(first_launch_groups, (inout<unsigned> x),
                     { each_item([&](item it) { x(it.global_id(0)) += 1; }); })

const box first_launch_elements(0, 512);

TEST_CASE("a shape of groups is new once, and shapes differ by length and axes") {
  device::launched_shapes all;
  using shape = device::launched_shapes::shape;
  CHECK_FALSE(all.has({{64, 1, 1}, 1}));
  CHECK(all.add({{64, 1, 1}, 1}));
  CHECK_FALSE(all.add({{64, 1, 1}, 1}));
  for (const shape& s : {shape{{64, 1, 1}, 2}, shape{{1, 64, 1}, 2}, shape{{32, 1, 1}, 1}}) {
    CHECK_FALSE(all.has(s));
    CHECK(all.add(s));
    CHECK(all.has(s));
    CHECK_FALSE(all.add(s));
  }
  CHECK(all.has({{64, 1, 1}, 1}));
}

TEST_CASE("a device that compiles at the first launch is tried again, and what it is slow at once is not its speed") {
  const test::with_variable scheduler("STRETTO_SCHEDULER", "earliest_finish");
  runtime rt({.workers = 1, .devices = "sim(compile_us=500k,rate=1T)"});
  rt.run([] {
    const object<unsigned> x(first_launch_elements, std::vector<unsigned>(512).data());
    for (int round = 0; round < 6; ++round)
      finish([&] {
        for (int first = 0; first < 512; first += 64)
          launch(first_launch_work, box(first, first + 64), x(box(first, first + 64)));
      });
  });
  // A few launches on the host, to learn its speed and while the device compiles. More only if the host is much faster,
  // or the machine is busy.
  CHECK(rt.statistics().devices.at(1).launches >= 2);
}

TEST_CASE("the time of a first launch counts as that of a later one, once there is one") {
  runtime rt({.workers = 1, .devices = "sim(compile_us=500k)"});
  rt.run([&] {
    const object<unsigned> x(first_launch_elements, std::vector<unsigned>(512).data());
    const auto busy = [&] { return rt.statistics().devices.at(1).busy_seconds; };
    wait(launch(on(device_kind::device), first_launch_plus, first_launch_elements, x));
    CHECK(x.read().get().view()(0) == 1);
    CHECK(busy() > 0.49);
    const auto since = std::chrono::steady_clock::now();
    wait(launch(on(device_kind::device), first_launch_plus, first_launch_elements, x));
    CHECK(x.read().get().view()(0) == 2);
    const double later = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    CHECK(busy() < 2.01 * later);  // a hundredth of the first, unless the machine is busy
    CHECK(rt.statistics().devices.at(1).launches == 2);
  });
}

TEST_CASE("a trace names the first launch of a kernel in groups of each shape") {
  const test::temporary_folder folder;
  const std::string file = (folder.path / "trace.json").string();
  {
    runtime rt({.workers = 1, .devices = "sim(compile_us=1)", .trace = file});
    rt.run([] {
      const object<unsigned> x(first_launch_elements, std::vector<unsigned>(512).data());
      for (const std::int64_t length : {64, 64, 32, 64, 32})
        wait(launch(on(device_kind::device), first_launch_groups, in_groups(box(0, 512 / length), extent(length)), x));
      for (int n = 0; n < 3; ++n) wait(launch(on(device_kind::device), first_launch_plus, first_launch_elements, x));
      CHECK(x.read().get().view()(511) == 8);
    });
  }
  std::map<std::string, int> spans;
  const auto whole = nlohmann::json::parse(std::ifstream(file));
  for (const auto& e : whole.at("traceEvents"))
    if (e.at("ph") == "X") ++spans[e.at("name")];
  CHECK(spans["first_launch_groups, first launch"] == 2);
  CHECK(spans["first_launch_groups"] == 3);
  CHECK(spans["first_launch_plus, first launch"] == 1);
  CHECK(spans["first_launch_plus"] == 2);
}

}  // namespace
}  // namespace stretto
