// Page-locked host memory for a device with simulated time.
#include <stretto/copy.hpp>
#include <stretto/instance.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/own_devices.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::data {
namespace {

/// Simulated seconds that a mebibyte takes to the device and back; without page-locking, speed is a hundredth.
double seconds_there_and_back(const host_limits& limits) {
  const auto looks = std::make_shared<std::atomic<std::int64_t>>(0);
  const auto now = [looks] { return 1e-4 * static_cast<double>(*looks); };
  device::sim::options o;
  o.copy_latency_seconds = 0;
  o.to_device_bytes_per_second = o.to_host_bytes_per_second = 1e10;
  o.pageable_bytes_per_second = 1e8;
  o.clock = [looks, now] { return ++*looks, now(); };
  std::vector<std::unique_ptr<device::device>> made;
  made.push_back(device::sim::make(o).device);
  double took = 0;
  with_devices(
      std::move(made), 1,
      [&](device::device_set& all, const platform& machine) {
        const box bytes(0, 1 << 20);
        auto here = instance<char>::create(at(machine.memories().front()), bytes).made;
        auto there = instance<char>::create(at(all.all().front()->memory()), bytes).made;
        wait(fill(here, 'a'));
        const double before = now();
        wait(copy(there, here, after(copy(here, there))));
        took = now() - before;
        CHECK(here.view()(12345) == 'a');
        here.destroy(), there.destroy();
      },
      limits);
  return took;
}

TEST_CASE("copies of instances are as fast as the device is with page-locked memory") {
  const double with = seconds_there_and_back({.locked_bytes = 64 << 20}), without = seconds_there_and_back({});
  INFO(with << " and " << without << " s");
  CHECK(without > 0.02);
  CHECK(with < 0.01);
}

}  // namespace
}  // namespace stretto::data
