// Objects on OpenCL devices whose drivers fail: they run elsewhere, or who reads is told.
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
    while (all.all()[0]->is().pending() > 0) yield();  // whatever befell it, all that it was given ends
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
    const std::string why = thrown_by([&] { wait(launch(on(all.all()[0]->processor()), opencl_plus_one, tile_of_opencl, pinned)); });
    CHECK(why.find("error A04: the device has no memory for the arguments") != std::string::npos);
    CHECK(why.find("CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)") != std::string::npos);
  });
}

TEST_CASE("random programs lose an OpenCL device, and every element is right or its reader is told") {
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
