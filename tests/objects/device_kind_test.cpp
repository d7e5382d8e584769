// Places that a launch may ask for: the host, devices of a kind or of a driver, one place; the same tags for objects
// and buffers.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/launch_graph.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/sim/sim_device.hpp"
#include "objects/on_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::thrown_by;

STRETTO_KERNEL(kind_fill, (out<int> x, int by), { x(global_id(0)) = by; })

/// A simulated GPU, CPU and accelerator.
std::vector<std::unique_ptr<device::device>> one_of_each() {
  std::vector<std::unique_ptr<device::device>> all;
  for (const auto kind :
       {device::processor_kind::gpu, device::processor_kind::cpu, device::processor_kind::accelerator}) {
    device::sim::options o;
    o.kind = kind, o.memory_bytes = 1 << 16;
    all.push_back(device::sim::make(o).device);
  }
  return all;
}

std::vector<std::uint64_t> launches() {
  std::vector<std::uint64_t> all;
  for (const device_statistics& d : objects::statistics_of(*base::current()->runtime)) all.push_back(d.launches);
  return all;
}

TEST_CASE("a launch runs on a device of the kind and the driver that it asks for") {
  for (const char* policy : {"fifo", "locality", "earliest_finish", "work_stealing"})
    test::on_devices(one_of_each(), policy, [](device::device_set&) {
      object<int> x(box(0, 10));
      const auto run = [&](auto tag) {
        const std::vector<std::uint64_t> before = launches();
        finish([&] {  // after it all launches are counted
          for (int n = 0; n < 8; ++n) launch(tag, kind_fill, x.elements(), x, n);
        });
        CHECK(x.read().get().view()(9) == 7);
        std::vector<std::uint64_t> here = launches();
        for (std::size_t i = 0; i < here.size(); ++i) here[i] -= before[i];
        return here;
      };
      CHECK(run(on(device_kind::host))[0] == 8);
      CHECK(run(on(driver("host")))[0] == 8);
      CHECK(run(on(device_kind::gpu))[1] == 8);
      CHECK(run(on(device_kind::cpu))[2] == 8);
      CHECK(run(on(device_kind::accelerator))[3] == 8);
      CHECK(run(on(device_kind::device))[0] == 0);
      const auto either = run(on(device_kind::cpu, device_kind::accelerator));
      CHECK(either[2] + either[3] == 8);
      CHECK(run(on(driver("sim")))[0] == 0);
      const error none = error_of([&] { launch(on(driver("opencl")), kind_fill, x.elements(), x, 1); });
      CHECK(none.code() == "A06");
      CHECK(none.sentence() == "launch \"kind_fill\" requires a device of driver \"opencl\" that is not open");
      CHECK(none.facts().back().second == "host, sim_0 (gpu), sim_1 (cpu), sim_2 (accelerator)");
      CHECK(error_of([&] {
              launch(on(driver("host")), on(device_kind::cpu), kind_fill, x.elements(), x, 1);
            }).sentence() == "launch \"kind_fill\" requires a cpu of driver \"host\" that is not open");
    });
}

TEST_CASE("a graph keeps what its launches ask for") {
  test::on_devices(one_of_each(), "fifo", [](device::device_set&) {
    object<int> x(box(0, 10));
    launch_graph graph;
    graph.launch(on(driver(std::string("si") + "m")), on(device_kind::cpu), kind_fill, x.elements(), x, 5);
    finish([&] { graph.submit(); });
    CHECK(x.read().get().view()(3) == 5);
    CHECK(launches()[2] == 1);
  });
}

TEST_CASE("a launch on buffers is refused where no device of the node is of a kind or driver that it asks for") {
  const auto refused = [](const char* devices, auto tag) {
    std::string what;
    runtime rt({.workers = 2, .devices = devices});
    rt.run([&] {
      buffer<int> x(box(0, 10));
      what = error_of([&] { launch(tag, kind_fill, box(0, 10), x(one_to_one), 4); }).code();
      if (what.empty())
        CHECK(thrown_by([&] { launch(kind_fill, box(0, 10), x(one_to_one), 4); }).starts_with("nothing"));
    });
    return what;
  };
  CHECK(refused("sim:2", on(device_kind::gpu)) == "");
  CHECK(refused("sim:2", on(device_kind::device)) == "");
  CHECK(refused("sim:2", on(driver("sim"))) == "");
  CHECK(refused("sim:2", on(driver("host"))) == "");
  CHECK(refused("none", on(device_kind::host)) == "");
  CHECK(refused("none", on(device_kind::gpu, device_kind::host)) == "");
  CHECK(refused("sim:2", on(device_kind::cpu, device_kind::device)) == "");
  CHECK(refused("sim:2", on(device_kind::cpu)) == "B28");
  CHECK(refused("sim:2", on(device_kind::cpu, device_kind::accelerator)) == "B28");
  CHECK(refused("sim:2", on(driver("cuda"))) == "B28");
  CHECK(refused("none", on(device_kind::device)) == "B28");
}

}  // namespace
}  // namespace stretto
