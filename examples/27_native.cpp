// 27_native.cpp - kernels from your own OpenCL or CUDA code, and calls of libraries.
//
// This program shows how existing device code becomes a kernel. For each kind of device, a kernel's definition gives
// source text in that device's language, or a function that gets the device's stream and enqueues calls there. A launch
// on objects runs on a device for which the kernel has a definition. It helps readers who have CUDA or OpenCL kernels,
// or use libraries such as cuBLAS.
//
// Run it with STRETTO_DEVICES=opencl (or cuda); without that, it uses a simulated device, which runs the definition for
// the host.
//
// Output
//   y(99) = 208
//   the norm of y: 1233.5
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

// Code for devices, perhaps from before Stretto; what the host does, as a function over a part of the range.
const native_kernel<void(kernels::in<float>, kernels::inout<float>, float, int)> saxpy({
    .name = "saxpy",
    .host =
        [](const kernel_work& work, auto x, auto y, float a, int) {
          for (auto i = work.min[0]; i < work.max[0]; ++i) y(i) += a * x(i);
        },
    .opencl = native_code::text(R"(
      __kernel void saxpy(__global const float* x, __global float* y, float a, int n) {
        int i = get_global_id(0);
        if (i < n) y[i] += a * x[i];
      })"),
    .cuda = native_code::text(R"(
      extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] += a * x[i];
      })"),
});

// A library's function, called once with pointers. For devices it would be cuBLAS: .cuda_calls = [](const native_call&
// on, ...) { cublasSetStream(handle, (cudaStream_t)on.queue); cublasSnrm2(handle, n, y.data, 1, norm.data); }.
const native_kernel<void(kernels::in<float>, kernels::out<float>)> norm_of({
    .name = "norm",
    .host_calls =
        [](const native_call&, native_array<const float> y, native_array<float> norm) {
          *norm.data = std::sqrt(std::inner_product(y.data, y.data + y.length(0), y.data, 0.0f));
        },
});

STRETTO_KERNEL(numbered, (out<float> x), { x(global_id(0)) = (float)(global_id(0)); })

int main() {
  runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim";
  runtime rt(options);
  rt.run([&] {
    constexpr int n = 100;
    const std::vector<float> tens(n, 10.0f);
    object<float> x({0, n}), y({0, n}, tens.data()), norm({0, 1});
    launch(numbered, x.elements(), x);
    launch(saxpy, x.elements(), x, y, 2.0f, n);
    launch(norm_of, norm.elements(), y, norm);
    std::printf("y(99) = %g\n", y.read().get().view()(99));
    std::printf("the norm of y: %.1f\n", norm.read().get().view()(0));
  });
}
