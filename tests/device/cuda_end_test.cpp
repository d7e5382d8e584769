// CUDA devices that are closed late in the life of a thread or of the process; with the fake driver.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "device/fake_driver.hpp"
#include "device/kernels_for_tests.hpp"

namespace stretto::device::cuda {
namespace {

using test::fake_driver;
using test::fake_driver_options;

std::unique_ptr<stretto::device::device> opened() {
  std::unique_ptr<stretto::device::device> one = std::move(find(fake_driver_options()).at(0).is);
  REQUIRE(one);
  one->compile(::add_one.code());
  return one;
}

TEST_CASE("a thread may close a device behind all that it keeps for itself") {
  fake_driver d;
  const long misuses = d.get("misuse"), live = d.get("live");
  std::thread([] {
    // created before the driver's own thread-local state
    static thread_local std::unique_ptr<stretto::device::device> last;
    last.reset();
    last = opened();
  }).join();
  CHECK(d.get("misuse") == misuses);
  CHECK(d.get("live") == live);
}

/// Destroyed after all function-local statics.
struct held_by_process {
  std::unique_ptr<stretto::device::device> is;
  ~held_by_process() {
    if (!is) return;
    fake_driver d;
    const long misuses = d.get("misuse");
    is.reset();
    if (d.get("misuse") == misuses && d.get("live") == 0) return;
    std::fputs("a device that a global variable held was not closed as its driver wants it\n", stderr);
    std::_Exit(1);
  }
} held;

// Runs after the tests of other files that count leaked handles.
TEST_CASE("a device that a global variable holds is closed at the end of the process") { held.is = opened(); }

}  // namespace
}  // namespace stretto::device::cuda
