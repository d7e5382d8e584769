// Copies from device to device: direct if the devices reach one another, else through the host; with the same result.
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/profile.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "conformance/devices.hpp"
#include "data/own_devices.hpp"
#include "device/kernels_for_tests.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::data {
namespace {

STRETTO_KERNEL(one_more, (inout<int, 3> x), { x(global_id(0), global_id(1), global_id(2)) += 1; })

/// Copies boxes of several shapes back and forth; returns the hops of each copy.
std::vector<std::uint32_t> to_and_fro(const device::device_set& all, const platform& machine) {
  const place ram = machine.memories().front(), one = all.all()[0]->memory(), other = all.all()[1]->memory();
  std::vector<std::uint32_t> hops;
  std::mt19937 random(11);
  for (int round = 0; round < 6; ++round) {
    const box whole({0, 0, 0}, {7, 30, 40 + 1000 * (round % 2)});
    const auto order = round % 3 ? axis_order::c : axis_order::fortran;
    auto h = instance<int, 3>::create(at(ram), whole).made, back = instance<int, 3>::create(at(ram), whole).made;
    auto a = instance<int, 3>::create(at(one), whole).made;
    auto b = instance<int, 3>::create(at(other), whole, {.order = order}).made;
    const auto least = [&](int axis) {
      return static_cast<coordinate>(random() % static_cast<unsigned>(whole.max()[axis] / 2));
    };
    const point end = whole.max();
    const box part({least(0), least(1), least(2)}, {end[0], end[1], end[2]});
    future<operation_profile> across, home;
    wait(launch(numbered, whole, h));
    const event cleared[] = {fill(b, -1), fill(back, -2)};
    event last = copy(h, a, after(merge(cleared)));
    last = launch(after(last), numbered, whole, a);  // the copy waits for an operation under way on the other device
    last = copy(a, b, part, {after(last), profile(across)});
    last = launch(after(last), one_more, whole, b);
    const event gone = fill(a, 0, after(last));
    last = copy(b, a, {after(gone), profile(home)});
    wait(copy(a, back, after(last)));
    int wrong = 0;
    for (coordinate i = 0; i < whole.max()[0]; ++i)
      for (coordinate j = 0; j < whole.max()[1]; ++j)
        for (coordinate k = 0; k < whole.max()[2]; ++k)
          wrong += back.view()(i, j, k) != (part.contains({i, j, k}) ? h.view()(i, j, k) : -1) + 1;
    CHECK(wrong == 0);
    hops.insert(hops.end(), {across.get().hops, home.get().hops});
    h.destroy(), back.destroy(), a.destroy(), b.destroy();
  }
  return hops;
}

std::vector<std::unique_ptr<device::device>> simulated(bool one_bus) {
  std::vector<std::unique_ptr<device::device>> two;
  device::sim::options o;
  o.memory_bytes = 16 << 20;
  o.launch_seconds = o.copy_latency_seconds = 1e-6;
  if (one_bus) o.wires = device::sim::make_bus();
  for (int i = 0; i < 2; ++i) two.push_back(std::move(device::sim::make(o).device));
  return two;
}

TEST_CASE("simulated devices on one bus copy to one another, others by way of the host") {
  for (const bool one_bus : {true, false})
    for (const unsigned workers : {1u, 3u})
      with_devices(simulated(one_bus), workers, [&](const device::device_set& all, const platform& machine) {
        CHECK(to_and_fro(all, machine) == std::vector<std::uint32_t>(12, one_bus ? 1 : 2));
      });
}

TEST_CASE("devices that reach one another copy directly, on every backend") {
  for (const device::candidate& c : device::candidates()) {
    if (!c.make_two) continue;
    INFO(c.name);
    auto [one, other] = c.make_two();
    std::vector<std::unique_ptr<device::device>> two;
    two.push_back(std::move(one)), two.push_back(std::move(other));
    with_devices(std::move(two), 2, [&](const device::device_set& all, const platform& machine) {
      CHECK(to_and_fro(all, machine) == std::vector<std::uint32_t>(12, 1));
    });
  }
}

}  // namespace
}  // namespace stretto::data
