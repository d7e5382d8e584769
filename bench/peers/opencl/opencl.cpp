// opencl.cpp - plain OpenCL: the first device of the first platform.
//
// `naive` is what a first version does: buffers for each product, one queue, and a wait after each call. The others are
// careful: buffers and kernels stand, a queue per product under way, and nothing waits but for a result that is needed.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "common/measure.hpp"

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw bench::unsupported(std::string(what) + " failed with " + std::to_string(status));
}

constexpr const char* source = R"(
kernel void nothing(global int* x) {}
kernel void product(global const float* restrict a, global const float* restrict b, global float* restrict c, int n) {
  int i = get_global_id(1), j = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
// Tiles of 64 x 64 by groups of 16 x 16 items, 16 terms at a time; sides are multiples of 64.
kernel void tiled(global const float* restrict a, global const float* restrict b, global float* restrict c, int n) {
  local float left[64][17], right[16][64];
  int first_i = get_group_id(1) * 64, first_j = get_group_id(0) * 64, x = get_local_id(0), y = get_local_id(1), t = y * 16 + x;
  float sum[4][4];
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) sum[p][q] = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int m = t; m < 64 * 16; m += 256) {
      left[m / 16][m % 16] = a[(first_i + m / 16) * n + k0 + m % 16];
      right[m / 64][m % 64] = b[(k0 + m / 64) * n + first_j + m % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) sum[p][q] += left[y + 16 * p][k] * right[k][x + 16 * q];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) c[(first_i + y + 16 * p) * n + first_j + x + 16 * q] = sum[p][q];
}
)";

/// How a product is launched: a kernel, and items along each side, of all and of a group; 0: as the driver likes.
struct product_kernel {
  const char* name;
  std::size_t elements_per_item, group;
};
constexpr product_kernel simple{"product", 1, 0}, tiled{"tiled", 4, 16};

struct opencl_device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_program program = nullptr;

  opencl_device() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    const char* text = source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &id, "-cl-std=CL1.2", nullptr, nullptr), "clBuildProgram");
  }
  cl_command_queue queue() const {
    cl_int status = CL_SUCCESS;
    const cl_command_queue q = clCreateCommandQueue(context, id, 0, &status);
    check(status, "clCreateCommandQueue");
    return q;
  }
  cl_kernel kernel(const char* name) const {
    cl_int status = CL_SUCCESS;
    const cl_kernel k = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return k;
  }
  cl_mem buffer(std::size_t bytes) const {
    cl_int status = CL_SUCCESS;
    const cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "clCreateBuffer");
    return b;
  }
};

const opencl_device& the_device() {
  static const opencl_device d;
  return d;
}

void enqueue_product(cl_command_queue q, cl_kernel k, const std::array<cl_mem, 3>& of, int n,
                     const product_kernel& how) {
  for (cl_uint i = 0; i < 3; ++i) check(clSetKernelArg(k, i, sizeof of[i], &of[i]), "clSetKernelArg");
  check(clSetKernelArg(k, 3, sizeof n, &n), "clSetKernelArg");
  const std::size_t side = std::size_t(n) / how.elements_per_item;
  const std::size_t items[] = {side, side}, group[] = {how.group, how.group};
  check(clEnqueueNDRangeKernel(q, k, 2, nullptr, items, how.group ? group : nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

struct matrices {
  std::size_t n, bytes;
  std::vector<float> a, b, c;
  explicit matrices(long side)
      : n(std::size_t(side)), bytes(n * n * sizeof(float)), a(n * n, 0.5f), b(n * n, 0.5f), c(n * n) {}
  void expect() {
    bench::expect("element of a product", long(c.back() * 4), long(n));
    c.back() = 0;
  }
};

bench::outcome time_series_naive(const bench::options& o) {
  const opencl_device& d = the_device();
  const cl_command_queue q = d.queue();
  const cl_kernel k = d.kernel("product");
  matrices m(o.size);
  const auto once = [&] {
    const std::array<cl_mem, 3> on_device{d.buffer(m.bytes), d.buffer(m.bytes), d.buffer(m.bytes)};
    check(clEnqueueWriteBuffer(q, on_device[0], CL_TRUE, 0, m.bytes, m.a.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    check(clEnqueueWriteBuffer(q, on_device[1], CL_TRUE, 0, m.bytes, m.b.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    enqueue_product(q, k, on_device, int(m.n), simple);
    check(clFinish(q), "clFinish");
    check(clEnqueueReadBuffer(q, on_device[2], CL_TRUE, 0, m.bytes, m.c.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    for (const cl_mem b : on_device) clReleaseMemObject(b);
    m.expect();
  };
  once();
  const long count = bench::products_of_a_series(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < count; ++i) once();
  const double us = clock.seconds() * 1e6 / double(count);
  clReleaseKernel(k), clReleaseCommandQueue(q);
  return {us};
}

bench::outcome series_of(const bench::options& o, const product_kernel& how) {
  const opencl_device& d = the_device();
  struct one {
    matrices m;
    cl_command_queue q;
    cl_kernel k;
    std::array<cl_mem, 3> on_device;
    bool is_under_way = false;
  };
  std::vector<one> all;
  for (int i = 0; i < bench::products_under_way; ++i) {
    all.push_back({matrices(o.size), d.queue(), d.kernel(how.name), {}});
    for (cl_mem& b : all.back().on_device) b = d.buffer(all.back().m.bytes);
  }
  const auto end = [](one& x) {
    check(clFinish(x.q), "clFinish");
    x.is_under_way = false;
    x.m.expect();
  };
  const auto begin = [&how](one& x) {
    check(clEnqueueWriteBuffer(x.q, x.on_device[0], CL_FALSE, 0, x.m.bytes, x.m.a.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    check(clEnqueueWriteBuffer(x.q, x.on_device[1], CL_FALSE, 0, x.m.bytes, x.m.b.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    enqueue_product(x.q, x.k, x.on_device, int(x.m.n), how);
    check(clEnqueueReadBuffer(x.q, x.on_device[2], CL_FALSE, 0, x.m.bytes, x.m.c.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    check(clFlush(x.q), "clFlush");
    x.is_under_way = true;
  };
  begin(all[0]), end(all[0]);
  const long count = bench::products_of_a_series(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < count; ++i) {
    one& x = all[std::size_t(i) % all.size()];
    if (x.is_under_way) end(x);
    begin(x);
  }
  for (one& x : all)
    if (x.is_under_way) end(x);
  const double us = clock.seconds() * 1e6 / double(count);
  for (one& x : all) {
    for (const cl_mem b : x.on_device) clReleaseMemObject(b);
    clReleaseKernel(x.k), clReleaseCommandQueue(x.q);
  }
  return {us};
}

bench::outcome time_series(const bench::options& o) { return series_of(o, simple); }
bench::outcome time_series_tiled(const bench::options& o) { return series_of(o, tiled); }

/// Kernels of one item that each follow the one before: the queue's order.
bench::outcome time_chain(const bench::options& o) {
  const opencl_device& d = the_device();
  const cl_command_queue q = d.queue();
  const cl_kernel k = d.kernel("nothing");
  const cl_mem x = d.buffer(64);
  const std::size_t one = 1;
  const auto run = [&](long count) {
    for (long i = 0; i < count; ++i) {
      check(clSetKernelArg(k, 0, sizeof x, &x), "clSetKernelArg");  // as code does whose arguments may change
      check(clEnqueueNDRangeKernel(q, k, 1, nullptr, &one, &one, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    }
    check(clFinish(q), "clFinish");
  };
  run(10);
  const bench::stopwatch clock;
  run(o.size);
  const double us = clock.seconds() * 1e6 / double(o.size);
  clReleaseMemObject(x), clReleaseKernel(k), clReleaseCommandQueue(q);
  return {us};
}

/// To the device and back, each alone, `size` KiB at a time.
bench::outcome time_copies(const bench::options& o) {
  const opencl_device& d = the_device();
  const cl_command_queue q = d.queue();
  const std::size_t bytes = std::size_t(o.size) << 10;
  const cl_mem there = d.buffer(bytes);
  std::vector<char> here(bytes, 1);
  const auto once = [&] {
    check(clEnqueueWriteBuffer(q, there, CL_TRUE, 0, bytes, here.data(), 0, nullptr, nullptr), "clEnqueueWriteBuffer");
    check(clEnqueueReadBuffer(q, there, CL_TRUE, 0, bytes, here.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  };
  once();
  const long count = bench::copies_of(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < count; ++i) once();
  const double gb_per_s = 2 * double(bytes) * double(count) / clock.seconds() / 1e9;
  bench::expect("byte that came back", here.back(), 1);
  clReleaseMemObject(there), clReleaseCommandQueue(q);
  return {gb_per_s};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  using bench::repeat;
  const bench::program system{
      .system = "opencl",
      .entries = {{"device_series", "us/product", better::lower, 64, time_series, repeat::once},
                  {"device_series_naive", "us/product", better::lower, 64, time_series_naive, repeat::once},
                  {"device_series_tiled", "us/product", better::lower, 64, time_series_tiled, repeat::once},
                  {"device_chain", "us/kernel", better::lower, 2000, time_chain, repeat::once},
                  {"device_copy", "GB/s", better::higher, 1024, time_copies, repeat::once}}};
  return bench::run(system, argc, argv);
}
