// OpenCL libraries that are missing, empty or broken.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "device/opencl/opencl_device.hpp"
#include "thrown_by.hpp"

namespace stretto::device::opencl {
namespace {

opened_device nothing_found(const std::string& library) {
  auto all = find({.library = library, .cache = {}});
  REQUIRE(all.size() == 1);
  CHECK_FALSE(all[0].is);
  CHECK_FALSE(all[0].remedy.empty());
  return std::move(all[0]);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("every obstacle to using OpenCL is reported with a remedy") {
  SUBCASE("no library") {
    const opened_device f = nothing_found("libno_such_opencl.so.1");
    CHECK(has(f.reason, "the OpenCL library \"libno_such_opencl.so.1\" cannot be opened"));
    CHECK(has(f.remedy, "apt-get install"));
  }
  SUBCASE("a library that is another one") {
    const opened_device f = nothing_found(STRETTO_STUB_EMPTY);
    CHECK(has(f.reason, "it has no clGetPlatformIDs"));
    CHECK(has(f.remedy, "OpenCL 1.2"));
  }
  SUBCASE("a loader without drivers") {
    const opened_device f = nothing_found(STRETTO_STUB_OPENCL);
    CHECK(has(f.reason, "no driver: CL_PLATFORM_NOT_FOUND_KHR (-1001)"));
    CHECK(has(f.remedy, "apt-get install pocl-opencl-icd"));
  }
  SUBCASE("a driver without devices") {
    setenv("STUB_OPENCL", "platforms", 1);
    CHECK(has(nothing_found(STRETTO_STUB_OPENCL).reason, "no driver has a device"));
  }
  SUBCASE("a driver that fails") {
    setenv("STUB_OPENCL", "devices", 1);
    const opened_device f = nothing_found(STRETTO_STUB_OPENCL);
    CHECK(has(f.reason, "the OpenCL driver refused clGetDeviceInfo"));
    CHECK(has(f.reason, "CL_DEVICE_NOT_AVAILABLE (-2)"));
    CHECK(has(f.remedy, "clinfo"));
  }
  unsetenv("STUB_OPENCL");
}

TEST_CASE("parts of a device are a number, and no more than it has compute units") {
  const auto known = all_backends();
  const auto refused = [&](const std::string& parts) {
    return test::thrown_by([&] { open_devices(parse_devices("opencl(parts=" + parts + ")", known), known, {}); });
  };
  for (const char* parts : {"0", "65", "two", "", "2x"})
    CHECK_MESSAGE(refused(parts).starts_with("error K29: setting parts of OpenCL devices"), parts);
  const auto all = find({.memory_bytes = 1 << 20, .cache = {}, .parts = 64});
  for (const opened_device& f : all)
    if (!f.is && has(f.reason, "compute units")) CHECK(has(f.reason, "64 parts were asked for, and it has "));
}

}  // namespace
}  // namespace stretto::device::opencl
