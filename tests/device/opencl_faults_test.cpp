// OpenCL drivers that open well and then fail: what is theirs is told, what is the device's end is told apart.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <string>

#include "conformance/bench.hpp"
#include "device/faulty_driver.hpp"
#include "device/opencl/opencl_api.hpp"
#include "thrown_by.hpp"

namespace stretto::device::opencl {
namespace {

using test::faulty_driver;

STRETTO_KERNEL(faulty_plus, (inout<float> x, float by), { x(global_id(0)) += by; })

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string failure_of(const counting_completion& e) {
  REQUIRE(e.failure);
  return test::thrown_by([&] { std::rethrow_exception(e.failure); });
}

/// A device of the faulty driver with an array of zeros.
struct run {
  bench b{{"faulty", [] { return std::move(faulty_driver::find().is); }, {}}};
  array<float> x{{1000}};
  launch_argument there = b.put(x);
  float by = 1;

  void plus(counting_completion& e) { b.launch(faulty_plus.code(), range({0}, {1000}), {there, bench::value(by)}, &e); }
  /// How the next kernel ends: as text, or empty.
  std::string end() {
    counting_completion e;
    const std::string thrown = test::thrown_by([&] {
      plus(e);
      b.wait(e);
    });
    if (!thrown.starts_with("nothing")) return thrown;
    return e.failure ? failure_of(e) : std::string();
  }
};

TEST_CASE("an OpenCL driver that is too old, or refuses memory, is reported with the reason") {
  if (!faulty_driver::is_there()) return;
  faulty_driver driver;
  SUBCASE("an older version") {
    driver.claim_version("OpenCL 1.1 Old Works");
    const opened_device f = faulty_driver::find();
    CHECK_FALSE(f.is);
    CHECK(f.reason == "it has OpenCL 1.1 Old Works, and 1.2 is the least that is used");
    CHECK(f.remedy == "install a newer driver of the device");
  }
  SUBCASE("newer versions") {
    for (const char* version : {"OpenCL 1.2 x", "OpenCL 2.0", "OpenCL 3.0 PoCL", "OpenCL 10.1"}) {
      driver.claim_version(version);
      CHECK(faulty_driver::find().is);
    }
  }
  SUBCASE("no memory") {
    driver.fail("clCreateBuffer", 0, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    const opened_device f = faulty_driver::find();
    CHECK_FALSE(f.is);
    CHECK(says(f.reason, "the OpenCL driver refused a buffer of 1048576 bytes"));
    CHECK(says(f.reason, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"));
    CHECK(faulty_driver::find().is);
  }
}

TEST_CASE("an OpenCL driver that fails once fails one call, and the device goes on") {
  if (!faulty_driver::is_there()) return;
  faulty_driver driver;
  run r;
  CHECK(r.end() == "");
  SUBCASE("to enqueue") {
    driver.fail("clEnqueueNDRangeKernel", 0, CL_OUT_OF_RESOURCES);
    CHECK(says(r.end(),
               "error K41: the OpenCL driver refused clEnqueueNDRangeKernel\n  because     CL_OUT_OF_RESOURCES (-5)"));
  }
  SUBCASE("what it enqueued") {
    driver.fail("clGetEventInfo", 0, CL_OUT_OF_RESOURCES);
    CHECK(says(r.end(), "error K30: an operation failed on device"));
  }
  const array<float> before = r.x;
  r.b.get(r.x, r.there);
  const float now = r.x.values[17];
  CHECK(r.end() == "");
  r.b.get(r.x, r.there);
  CHECK(r.x.values[17] == now + 1);
}

TEST_CASE("a failed build of an OpenCL driver is reported, and a later one succeeds") {
  if (!faulty_driver::is_there()) return;
  faulty_driver driver;
  run r;
  driver.fail("clBuildProgram", 0, CL_OUT_OF_HOST_MEMORY);
  CHECK(says(r.end(), "error K12: kernel \"faulty_plus\" does not compile for the device"));
  CHECK(r.end() == "");
}

TEST_CASE("an OpenCL device that is gone is lost, whatever its driver calls it, with all that was under way") {
  if (!faulty_driver::is_there()) return;
  for (const int status :
       {CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES, -9999}) {
    INFO(status);
    faulty_driver driver;
    run r;
    driver.fail("device", 3, status);
    counting_completion ends[6];
    int refused = 0;
    for (counting_completion& e : ends) {
      const std::string why = test::thrown_by([&] { r.plus(e); });
      if (why.starts_with("nothing")) continue;
      ++refused, ++e.times;
      CHECK(says(why, "error K31: device \""));
      CHECK(says(why, "\" was lost\n  because     " + name_of(status)));
    }
    CHECK(refused >= 3);
    for (counting_completion& e : ends) r.b.wait(e);
    CHECK(r.b.on->is_lost());
    CHECK(says(r.end(), "error K31"));
    CHECK(says(test::thrown_by([&] { r.b.s->record_marker(); }), "error K31"));
    CHECK(says(test::thrown_by([&] { r.b.on->make_stream(); }), "error K31"));
  }
}

}  // namespace
}  // namespace stretto::device::opencl
