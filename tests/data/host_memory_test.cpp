// Memory that host and device use in place: one instance for tasks and for kernels of the host and of the device.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>

#include "conformance/devices.hpp"
#include "data/own_devices.hpp"
#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"

namespace stretto::data {
namespace {

TEST_CASE("an instance in memory that host and device share needs no copy, on every backend") {
  for (const device::candidate& c : device::candidates()) {
    INFO(c.name);
    std::vector<std::unique_ptr<device::device>> one;
    one.push_back(c.make());
    if (!one[0]->about().host_memory_bytes) continue;
    with_devices(std::move(one), 2, [&](const device::device_set& all, const platform& machine) {
      const device::attached_device& d = *all.all()[0];
      CHECK(machine.kind(d.host_memory()) == place_kind::pinned_memory);
      CHECK(machine.about(d.host_memory()).capacity_bytes == 1u << 20);
      const box whole(0, 1000);
      auto x = instance<int>::create(at(d.host_memory()), whole).made;
      auto far = instance<int>::create(at(d.memory()), whole).made,
           near = instance<int>::create(at(machine.memories()[0]), whole).made;
      CHECK(d.is().shares(reinterpret_cast<const std::byte*>(x.data()), 4000));
      wait(fill(x, 5));
      event last;
      for (int round = 0; round < 20; ++round) {
        last = launch(on(d.processor()), after(last), add_one, whole, x);
        if (round % 3 == 0) last = launch(after(last), add_one, whole, x);  // by the workers
        if (round % 4 == 0)
          last = async(after(last), [x] {
            for (int& value : std::span(x.data(), 1000)) value += 10;
          });
      }
      wait(last);
      CHECK(x.view()(0) == 5 + 20 + 7 + 50);
      CHECK(x.view()(999) == 82);
      const event there = copy(x, far);
      const event more = launch(after(there), add_one, whole, far);
      wait(copy(far, near, after(more)));
      CHECK(near.view()(500) == 83);
      const event back = copy(far, x, after(more));
      wait(copy(x, near, after(back)));
      CHECK(near.view()(999) == 83);
      x.destroy(), far.destroy(), near.destroy();
    });
  }
}

TEST_CASE("a kernel uses an array of the device and one that it shares; another device's is refused") {
  setenv("STRETTO_DEVICE_HOST_MEMORY", "1M", 1);
  runtime rt({.workers = 2, .devices = "sim:2"});
  unsetenv("STRETTO_DEVICE_HOST_MEMORY");
  rt.run([&] {
    const platform& m = rt.machine();
    const box whole({0, 0}, {20, 20}), inside({1, 1}, {19, 19});
    const auto made = [&](const char* where) {
      return instance<float, 2>::create(at(m.at(where)), whole, {.name = where}).made;
    };
    auto a = made("sim_0_memory"), shared = made("sim_0_host_memory"), other = made("sim_1_host_memory");
    const event filled[] = {fill(a, 2.0f), fill(shared, 0.0f)};
    wait(launch(after(merge(filled)), jacobi, inside, a, shared, 0.25f));  // where one of the arrays is
    CHECK(shared.view()(5, 5) == 2.0f);
    CHECK(shared.view()(0, 5) == 0.0f);
    const std::string apart = test::thrown_by([&] { launch(jacobi, inside, a, other, 1.0f); });
    CHECK(apart.find("error K28: kernel \"jacobi\" is launched on arrays in different memories") == 0);
    CHECK(test::thrown_by([&] {
            launch(on(m.at("sim_1")), jacobi, inside, shared, shared, 1.0f);
          }).find("on device \"sim_1\", but its arrays are elsewhere") != std::string::npos);
    wait(launch(on(m.at("sim_1")), after(fill(other, 1.0f)), jacobi, inside, other, other, 1.0f));
    // A full memory refuses.
    auto [big, never] = instance<float>::create(at(m.at("sim_0_host_memory")), {0, 1 << 20});
    CHECK(test::thrown_by([&, e = never] { wait(e); }).find("error D03") == 0);
    a.destroy(), shared.destroy(), other.destroy(), big.destroy();
  });
}

TEST_CASE("a runtime has such memory only if asked for") {
  runtime rt({.workers = 1, .devices = "sim"});
  CHECK(rt.machine().places(place_kind::pinned_memory).empty());
}

}  // namespace
}  // namespace stretto::data
