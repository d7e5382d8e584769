// Native kernels on objects and on instances: they run on the devices that they have code for.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

namespace k = kernels;

const native_kernel<void(k::in<int>, k::inout<int>, int, int)> scaled_sum({
    .name = "scaled_sum",
    .host =
        [](const kernel_work& w, k::in<int> x, k::inout<int> y, int a, int) {
          for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) += a * x(i);
        },
    .opencl = native_code::text(R"(__kernel void scaled_sum(__global const int* x, __global int* y, int a, int n) {
      if (get_global_id(0) < n) y[get_global_id(0)] += a * x[get_global_id(0)];
    })"),
    .cuda = native_code::text(R"(extern "C" __global__ void scaled_sum(const int* x, int* y, int a, int n) {
      int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
      if (i < n) y[i] += a * x[i];
    })"),
});

/// For the host alone, and called once, also for more items than a piece has.
const native_kernel<void(k::in<int>, k::out<int>)> total({
    .name = "total",
    .host_calls =
        [](const native_call& on, native_array<const int> x, native_array<int> sum) {
          *sum.data = std::accumulate(x.data, x.data + x.length(0), static_cast<int>(on.work.max[0]));
        },
});

std::vector<std::string> native_devices() {
  return test::usable_devices({"none", "sim:2", "opencl:1", "opencl:1,sim"}, "objects");
}

TEST_CASE("native kernels on objects are computed where there is code, among others") {
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  for (const std::string& kind : native_devices())
    for (const unsigned workers : {1u, 2u, 4u}) {
      INFO(kind, ", ", workers, " workers");
      runtime rt({.workers = workers, .devices = kind});
      rt.run([] {
        constexpr int n = 6000, rounds = 8;
        std::vector<int> first(n);
        std::iota(first.begin(), first.end(), 0);
        object<int> x({0, n}, first.data(), {.name = "x"}), y({0, n}, first.data(), {.name = "y"}),
            sums({0, rounds}, {.name = "sums"});
        std::vector<int> a = first, b = first, expected;
        for (int r = 0; r < rounds; ++r) {
          launch(scaled_sum, x.elements(), x, y, r, n);
          launch(add_one, x.elements(), x);
          launch(total, box(0, n), y, sums(box(r, r + 1)));
          for (int i = 0; i < n; ++i) b[i] += r * a[i], ++a[i];
          expected.push_back(std::accumulate(b.begin(), b.end(), n));
        }
        const auto seen = sums.read().get();
        for (int r = 0; r < rounds; ++r) CHECK(seen.view()(r) == expected[static_cast<std::size_t>(r)]);
        const auto ys = y.read().get();
        bool right = true;
        for (int i = 0; i < n; ++i) right = right && ys.view()(i) == b[static_cast<std::size_t>(i)];
        CHECK(right);
      });
    }
}

TEST_CASE("a launch of code for devices is not divided, whatever its mappers say") {
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  for (const std::string& kind :
       test::usable_devices({"none", "sim:2", "opencl:1", "opencl:1,sim", "opencl(parts=2)"}, "objects")) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      constexpr int n = 6000;
      std::vector<int> first(n);
      std::iota(first.begin(), first.end(), 0);
      const object<int> x({0, n}, first.data()), y({0, n}, first.data());
      for (int r = 0; r < 6; ++r) launch(scaled_sum, box(0, n), x(one_to_one), y(one_to_one), 2, n);
      const auto seen = y.read().get();
      bool right = true;
      for (int i = 0; i < n; ++i) right = right && seen.view()(i) == 13 * i;
      CHECK(right);
    });
  }
}

TEST_CASE("a simulated device refuses what code for a device cannot be handed") {
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    std::vector<int> numbers(64);
    const object<int> x({0, 64}, numbers.data()), y({0, 64}, numbers.data());
    const error e = test::error_of([&] { wait(launch(on(device_kind::device), scaled_sum, box(4, 10), x, y, 1, 64)); });
    CHECK(e.code() == "K18");
    CHECK(e.sentence() == "kernel \"scaled_sum\" is launched on a range that begins at 4 on axis 0");
  });
}

const native_kernel<void(k::inout<int>)> nowhere({.name = "nowhere"});

TEST_CASE("a native kernel without code for where it is wanted ends with K14") {
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    object<int> x({0, 8}, std::vector<int>(8).data());
    CHECK(test::error_of([&] { wait(launch(nowhere, x.elements(), x)); }).code() == "K14");
    CHECK(test::error_of([&] { wait(launch(on(device_kind::device), nowhere, x.elements(), x)); }).code() == "K14");
    auto at_host = instance<int>::create(at(rt.machine().memories()[0]), {0, 8}).made;
    event there = fill(at_host, 1);
    CHECK(test::error_of([&] { launch(after(there), nowhere, box(0, 8), at_host); }).code() == "K14");
    wait(there);
    at_host.destroy();
  });
}

TEST_CASE("native kernels on instances run in order with copies and fills, on host and devices") {
  for (const std::string& kind : native_devices()) {
    INFO(kind);
    const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] {
      std::vector<place> memories = rt.machine().places(place_kind::gpu_memory);
      memories.push_back(rt.machine().memories()[0]);
      for (const place memory : memories) {
        auto x = instance<int>::create(at(memory), {0, 5000}).made,
             y = instance<int>::create(at(memory), {0, 5000}).made;
        auto back = instance<int>::create(at(rt.machine().memories()[0]), {0, 5000}).made;
        event twos = fill(x, 2), zeros = fill(y, 0);
        event last = merge(std::vector<event>{twos, zeros});
        for (int i = 1; i <= 10; ++i) last = launch(after(last), scaled_sum, box(0, 5000), x, y, i, 5000);
        wait(copy(y, back, after(last)));
        CHECK(back.view()(0) == 110);
        CHECK(back.view()(4999) == 110);
        x.destroy(), y.destroy(), back.destroy();
      }
    });
  }
}

}  // namespace
}  // namespace stretto
