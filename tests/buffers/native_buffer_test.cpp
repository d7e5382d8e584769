// Native kernels on buffers: device code computes a launch as a whole, host functions compute one part.
#include <stretto/buffer.hpp>
#include <stretto/native_kernel.hpp>

#include <doctest/doctest.h>

#include "buffers/nodes_with_devices.hpp"

namespace stretto {
namespace {

namespace k = kernels;

const native_kernel<void(k::in<float>, k::inout<float>, float)> added_multiple({
    .name = "added_multiple",
    .host =
        [](const kernel_work& w, k::in<float> x, k::inout<float> y, float a) {
          for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) += a * x(i);
        },
    .opencl = native_code::text(R"(__kernel void added_multiple(__global const float* x, __global float* y, float a) {
      y[get_global_id(0)] += a * x[get_global_id(0)];
    })"),
    .cuda = native_code::text(R"(extern "C" __global__ void added_multiple(const float* x, float* y, float a) {
      int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
      if (i < 100) y[i] += a * x[i];
    })"),
});

const native_kernel<void(k::in<int>, k::out<int>, int)> sum_of_three({
    .name = "sum_of_three",
    .host =
        [](const kernel_work& w, k::in<int> x, k::out<int> y, int n) {
          for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) = (i ? x(i - 1) : 0) + x(i) + (i + 1 < n ? x(i + 1) : 0);
        },
    .opencl = native_code::text(R"(__kernel void sum_of_three(__global const int* x, __global int* y, int n) {
      int i = get_global_id(0);
      y[i] = (i ? x[i - 1] : 0) + x[i] + (i + 1 < n ? x[i + 1] : 0);
    })"),
    .cuda = native_code::text(R"(extern "C" __global__ void sum_of_three(const int* x, int* y, int n) {
      int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
      if (i < n) y[i] = (i ? x[i - 1] : 0) + x[i] + (i + 1 < n ? x[i + 1] : 0);
    })"),
});

/// A host function that receives its part.
const native_kernel<void(k::in<int>, k::out<int>)> doubled_on_host({
    .name = "doubled_on_host",
    .host =
        [](const kernel_work& w, k::in<int> x, k::out<int> y) {
          for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) = 2 * x(i);
        },
});

TEST_CASE("code for devices computes launches on buffers that nodes and devices would divide") {
  test::on_nodes_with_devices([] {
    const buffer<float> x(box(0, 100), [](coordinate i) { return static_cast<float>(i); }),
        y(box(0, 100), [](coordinate) { return 1.0f; });
    for (int round = 0; round < 2; ++round) launch(added_multiple, box(0, 100), x(one_to_one), y(one_to_one), 1.0f);
    launch(in_pieces{4}, added_multiple, box(0, 100), x(one_to_one), y(one_to_one), 1.0f);
    const auto seen = y.read().get();
    for (int i = 0; i < 100; ++i) CHECK(seen.view()(i) == 1 + 3 * i);
  });
}

TEST_CASE("the host's function of a kernel with code for devices is handed the part of its node") {
  test::on_nodes_with_devices([] {
    const buffer<float> x(box(0, 100), [](coordinate i) { return static_cast<float>(i); }),
        y(box(0, 100), [](coordinate) { return 1.0f; });
    launch(on(device_kind::host), added_multiple, box(0, 100), x(one_to_one), y(one_to_one), 3.0f);
    const auto seen = y.read().get();
    for (int i = 0; i < 100; ++i) CHECK(seen.view()(i) == 1 + 3 * i);
  });
}

TEST_CASE("elements around each item are where code for a device looks for them") {
  test::on_nodes_with_devices([] {
    const buffer<int> x(box(0, 61), [](coordinate i) { return static_cast<int>(i); }), y(box(0, 61)), z(box(0, 61));
    launch(sum_of_three, box(0, 61), x(neighborhood(1)), y(one_to_one), 61);
    launch(doubled_on_host, box(0, 61), y(one_to_one), z(one_to_one));
    const auto seen = z.read().get();
    for (int i = 0; i < 61; ++i) CHECK(seen.view()(i) == 2 * (i == 0 ? 1 : i == 60 ? 59 + 60 : 3 * i));
  });
}

}  // namespace
}  // namespace stretto
