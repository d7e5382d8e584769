// Kernels that OpenCL's compilers made, kept on disk: found again, damaged, of another driver; and folders that take
// nothing.
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/bench.hpp"
#include "device/kernel_cache.hpp"
#include "device/opencl/opencl_device.hpp"
#include "temporary_folder.hpp"
#include "written_by.hpp"

namespace stretto::device::opencl {
namespace {

namespace fs = std::filesystem;

STRETTO_KERNEL(cached_plus, (inout<float> x, float by), { x(global_id(0)) += by; })

opened_device one(const fs::path& cache) {
  auto all = find({.memory_bytes = 1 << 20, .cache = cache, .at_most = 1});
  return std::move(all.front());
}

bool has_opencl() {
  static const bool has = [] {
    const opened_device f = one({});
    if (!f.is) std::fprintf(stderr, "no test of kept OpenCL kernels: %s\n", f.reason.c_str());
    return bool(f.is);
  }();
  return has;
}

/// A device that begins with this folder computes right, and what is said meanwhile.
std::string said_by_run(const fs::path& cache) {
  return test::written_by([&] {
    bench b({"opencl", [&] { return std::move(one(cache).is); }, {}});
    array<float> x({1000});
    float by = 2;
    for (std::size_t i = 0; i < 1000; ++i) x.values[i] = static_cast<float>(i);
    const launch_argument there = b.put(x);
    counting_completion done;
    b.launch(cached_plus.code(), range({0}, {1000}), {there, bench::value(by)}, &done);
    b.wait(done);
    CHECK_FALSE(done.failure);
    b.get(x, there);
    for (std::size_t i = 0; i < 1000; ++i)
      if (x.values[i] != static_cast<float>(i) + 2) FAIL_CHECK("element " << i << " is " << x.values[i]);
  });
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The one file of a folder, and what it holds.
struct kept {
  fs::path file;
  std::string key, binary;
  explicit kept(const fs::path& folder) {
    const std::vector<fs::path> files{fs::directory_iterator(folder), {}};
    REQUIRE(files.size() == 1);
    file = files[0];
    const std::string all = content(file);
    unsigned long key_bytes = 0, bytes = 0;
    REQUIRE(std::sscanf(all.c_str(), "stretto kernel 1\n%lu %lu ", &key_bytes, &bytes) == 2);
    REQUIRE(all.size() > key_bytes + bytes);
    binary = all.substr(all.size() - bytes);
    key = all.substr(all.size() - bytes - key_bytes, key_bytes);
  }
};

TEST_CASE("an OpenCL kernel is kept, and not compiled again") {
  if (!has_opencl()) return;
  const test::temporary_folder cache;
  CHECK(said_by_run(cache.path) == "");
  const kept first(cache.path);
  CHECK_FALSE(first.binary.empty());
  CHECK(first.key.find("cached_plus") != std::string::npos);
  const auto written = fs::last_write_time(first.file);
  CHECK(said_by_run(cache.path) == "");
  CHECK(fs::last_write_time(first.file) == written);
}

TEST_CASE("kept OpenCL kernels that are damaged are compiled anew") {
  if (!has_opencl()) return;
  const test::temporary_folder cache;
  said_by_run(cache.path);
  const kept good(cache.path);
  const std::string whole = content(good.file);
  const auto put = [&](std::string_view text) { std::ofstream(good.file, std::ios::binary | std::ios::trunc) << text; };
  const auto is_mended = [&] {
    CHECK(said_by_run(cache.path) == "");
    const kept now(cache.path);
    CHECK(now.file == good.file);
    CHECK(now.key == good.key);
    // Drivers need not make the same twice; they make no damaged one.
    CHECK(now.binary.size() > good.binary.size() / 2);
    CHECK(kernel_cache(cache.path).find(now.key) == now.binary);
  };
  SUBCASE("cut off") { put(whole.substr(0, whole.size() / 2)), is_mended(); }
  SUBCASE("empty") { put(""), is_mended(); }
  SUBCASE("something else") { put("no kernel"), is_mended(); }
  SUBCASE("a byte of the binary") {
    std::string other = whole;
    other[other.size() - 10] ^= 1;
    put(other), is_mended();
  }
  SUBCASE("of another driver, which this one refuses") {
    kernel_cache(cache.path).put(good.key, "of another driver"), is_mended();
  }
  SUBCASE("nothing, well kept") { kernel_cache(cache.path).put(good.key, ""), is_mended(); }
}

TEST_CASE("a folder that takes nothing keeps no OpenCL kernel, and nothing else happens") {
  if (!has_opencl()) return;
  const test::temporary_folder aside;
  const fs::path file = aside.path / "file";
  std::ofstream(file) << "in the way";
  for (const fs::path& folder : {file, file / "below", fs::path("/proc/self/kernels")}) {
    INFO(folder.string());
    CHECK(said_by_run(folder) == "");
    CHECK(said_by_run(folder) == "");
  }
  CHECK(content(file) == "in the way");
  CHECK(std::distance(fs::directory_iterator(aside.path), {}) == 1);
}

}  // namespace
}  // namespace stretto::device::opencl
