// Objects on OpenCL devices whose drivers fail: launches run elsewhere, or the reader gets the error.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "device/faulty_driver.hpp"
#include "device/opencl/opencl_api.hpp"
#include "objects/on_devices.hpp"
#include "objects/random_program.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::faulty_driver;
using test::thrown_by;

STRETTO_KERNEL(opencl_plus_one, (inout<unsigned, 2> a), { a(global_id(0), global_id(1)) += 1; })

const box tile_of_opencl({0, 0}, {16, 16});

/// One device of the faulty driver, and the host.
template <class Body>
void on_faulty(bool pool, Body&& body) {
  std::vector<std::unique_ptr<device::device>> one;
  one.push_back(std::move(faulty_driver::find(pool).is));
  test::on_devices(std::move(one), "fifo", [&](device::device_set& all) {
    body(all);
    while (all.all()[0]->is().pending() > 0) yield();  // whatever happened to it, its operations end
  });
}

TEST_CASE("an OpenCL driver without memory, or that does not build, is done without") {
  if (!faulty_driver::is_there()) return;
  faulty_driver driver;
  on_faulty(false, [&](device::device_set& all) {
    const std::vector<unsigned> zeros(256);
    const auto right = [&] {
      object<unsigned, 2> a(tile_of_opencl, zeros.data()), b(tile_of_opencl, zeros.data());
      for (int n = 0; n < 10; ++n) launch(mix, tile_of_opencl, a, b, 0, 0, 1u), launch(set_all, tile_of_opencl, a, 0u);
      const auto seen = b.read().get();
      std::vector<unsigned> model(256), set(256);
      for (int n = 0; n < 10; ++n)
        for (unsigned i = 0; i < 256; ++i) model[i] = model[i] * 5 + set[i] * 3 + 1, set[i] = i / 16 * 31 + i % 16;
      int wrong = 0;
      for (int i = 0; i < 256; ++i) wrong += seen.view()(i / 16, i % 16) != model[static_cast<std::size_t>(i)];
      CHECK(wrong == 0);
    };
    driver.fail("clBuildProgram", 0, CL_OUT_OF_HOST_MEMORY, true);
    right();
    driver.fail("clBuildProgram", 1 << 30, CL_OUT_OF_HOST_MEMORY);
    driver.fail("clCreateBuffer", 0, CL_MEM_OBJECT_ALLOCATION_FAILURE, true);
    right();
    object<unsigned, 2> pinned(tile_of_opencl, zeros.data());
    const std::string why =
        thrown_by([&] { wait(launch(on(all.all()[0]->processor()), opencl_plus_one, tile_of_opencl, pinned)); });
    CHECK(why.find("error A04: the device has no memory for the arguments") != std::string::npos);
    CHECK(why.find("CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)") != std::string::npos);
  });
}

TEST_CASE("an OpenCL driver that takes memory at a buffer's first use is found to have none before anything is moved") {
  if (!faulty_driver::is_there()) return;
  faulty_driver driver;
  {
    driver.take_memory_late(1000);
    const device::opened_device f = faulty_driver::find(true);
    CHECK_FALSE(f.is);
    CHECK(f.reason.find("the OpenCL driver refused a buffer of 1048576 bytes") != std::string::npos);
    CHECK(f.reason.find("CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)") != std::string::npos);
  }
  on_faulty(false, [&](device::device_set& all) {
    driver.take_memory_late(3 * 1024);  // three tiles, of the 1024 bytes that the device reports
    const place there = all.all()[0]->processor();
    const std::vector<unsigned> zeros(256);
    std::vector<object<unsigned, 2>> many;
    for (int k = 0; k < 8; ++k) many.emplace_back(tile_of_opencl, zeros.data());
    for (int round = 0; round < 3; ++round)
      for (const auto& a : many) launch(on(there), opencl_plus_one, tile_of_opencl, a);
    for (const auto& a : many) CHECK(a.read().get().view()(15, 15) == 3);
    // Data that only kernels write, and objects too large by themselves.
    object<unsigned, 2> fresh(tile_of_opencl), large(box({0, 0}, {64, 16}));
    launch(on(there), set_all, tile_of_opencl, fresh, 7u);
    CHECK(fresh.read().get().view()(0, 1) == 8);
    const std::string why = thrown_by([&] { wait(launch(on(there), set_all, large.elements(), large, 1u)); });
    CHECK(why.find("error A04: the device has no memory for the arguments") == 0);
    CHECK(why.find("4096 bytes more") != std::string::npos);
    CHECK(why.find("CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)") != std::string::npos);
    launch(set_all, large.elements(), large, 2u);
    CHECK(large.read().get().view()(63, 15) == 2 + 63 * 31 + 15);
  });
}

TEST_CASE("random programs lose an OpenCL device, and each element is right or its reader gets the error") {
  if (!faulty_driver::is_there()) return;
  int lost = 0;
  constexpr int statuses[] = {CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE};
  for (unsigned seed = 0; seed < test::scaled(12u, 400u); ++seed) {
    INFO("seed " << seed);
    faulty_driver driver;
    on_faulty(seed % 3 > 0, [&](device::device_set& all) {
      driver.fail("device", 5 + static_cast<long>(seed * 7 % 60), statuses[seed % 3]);
      const std::string what = thrown_by([&] {
        finish([&] {
          test::random_program program(seed, seed % 2, test::random_program::losses{{all.all()[0]->processor()}});
          program.run(60);
          lost += program.lost();
        });
      });
      if (!what.starts_with("nothing was thrown")) CHECK_MESSAGE(what.find("K31") != std::string::npos, what);
    });
  }
  CHECK(lost > 0);
}

}  // namespace
}  // namespace stretto
