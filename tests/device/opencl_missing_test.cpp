// OpenCL libraries that are missing, empty or broken.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "device/opencl/opencl_device.hpp"

namespace stretto::device::opencl {
namespace {

found nothing_found(const std::string& library) {
  auto all = find({.library = library, .cache = {}});
  REQUIRE(all.size() == 1);
  CHECK_FALSE(all[0].is);
  CHECK_FALSE(all[0].remedy.empty());
  return std::move(all[0]);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("what keeps OpenCL from being used is told with its remedy") {
  SUBCASE("no library") {
    const found f = nothing_found("libno_such_opencl.so.1");
    CHECK(has(f.reason, "the OpenCL library \"libno_such_opencl.so.1\" cannot be opened"));
    CHECK(has(f.remedy, "apt-get install"));
  }
  SUBCASE("a library that is another one") {
    const found f = nothing_found(STRETTO_STUB_EMPTY);
    CHECK(has(f.reason, "it has no clGetPlatformIDs"));
    CHECK(has(f.remedy, "OpenCL 1.2"));
  }
  SUBCASE("a loader without drivers") {
    const found f = nothing_found(STRETTO_STUB_OPENCL);
    CHECK(has(f.reason, "no driver: CL_PLATFORM_NOT_FOUND_KHR (-1001)"));
    CHECK(has(f.remedy, "apt-get install pocl-opencl-icd"));
  }
  SUBCASE("a driver without devices") {
    setenv("STUB_OPENCL", "platforms", 1);
    CHECK(has(nothing_found(STRETTO_STUB_OPENCL).reason, "no driver has a device"));
  }
  SUBCASE("a driver that fails") {
    setenv("STUB_OPENCL", "devices", 1);
    const found f = nothing_found(STRETTO_STUB_OPENCL);
    CHECK(has(f.reason, "the OpenCL driver refused clGetDeviceInfo"));
    CHECK(has(f.reason, "CL_DEVICE_NOT_AVAILABLE (-2)"));
    CHECK(has(f.remedy, "clinfo"));
  }
  unsetenv("STUB_OPENCL");
}

}  // namespace
}  // namespace stretto::device::opencl
