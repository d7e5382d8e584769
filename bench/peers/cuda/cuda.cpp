// cuda.cpp - CUDA without a runtime system: the first device, through the driver API and NVRTC.
//
// `naive` is what a first version does: memory for each product, pageable memory of the host, one stream, and a wait
// after each call. The others are careful: memory stands and is page-locked on the host, a stream per product under
// way, and nothing waits but for a result that is needed. `tiled` has a better kernel, too: tiles in shared memory,
// sixteen elements to a thread; the others' is the one that Stretto and OpenCL run.
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "common/measure.hpp"
#include "peers/cuda/driver.hpp"

namespace {

using namespace cuda;

constexpr const char* nothing_text = R"(
extern "C" __global__ void nothing(int* x) {}
)";
constexpr const char* product_text = R"(
extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
)";
// Tiles of 64 x 64 by 16 x 16 threads, 16 terms at a time; sides are multiples of 64.
constexpr const char* tiled_text = R"(
extern "C" __global__ void tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float left[64][17], right[16][64];
  int first_i = blockIdx.y * 64, first_j = blockIdx.x * 64, x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  float sum[4][4];
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) sum[p][q] = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int m = t; m < 64 * 16; m += 256) {
      left[m / 16][m % 16] = a[(first_i + m / 16) * n + k0 + m % 16];
      right[m / 64][m % 64] = b[(k0 + m / 64) * n + first_j + m % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) sum[p][q] += left[y + 16 * p][k] * right[k][x + 16 * q];
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) c[(first_i + y + 16 * p) * n + first_j + x + 16 * q] = sum[p][q];
}
)";

/// How a product is launched.
struct product_kernel {
  CUfunction f;
  unsigned elements_per_block, threads_per_block;  // along each side

  static product_kernel simple() { return {driver::first().compile(product_text, "product"), 16, 16}; }
  static product_kernel tiled() { return {driver::first().compile(tiled_text, "tiled"), 64, 16}; }

  void launch(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int n, CUstream on) const {
    void* given[] = {&a, &b, &c, &n};
    const unsigned blocks = (unsigned(n) + elements_per_block - 1) / elements_per_block;
    const driver& d = driver::first();
    d.check(d.cuLaunchKernel(f, blocks, blocks, 1, threads_per_block, threads_per_block, 1, 0, on, given, nullptr),
            "cuLaunchKernel");
  }
};

std::size_t elements_of(long side) { return std::size_t(side) * std::size_t(side); }

void expect_product(float& last, long side) {
  bench::expect("element of a product", long(std::exchange(last, 0.0f) * 4), side);
}

bench::outcome time_series_naive(const bench::options& o) {
  const driver& d = driver::first();
  const product_kernel k = product_kernel::simple();
  const std::size_t count = elements_of(o.size), bytes = count * sizeof(float);
  const stream s;
  std::vector<float> a(count, 0.5f), b(count, 0.5f), c(count);
  const auto once = [&] {
    const memory on_a(bytes), on_b(bytes), on_c(bytes);
    d.check(d.cuMemcpyHtoDAsync(on_a.at, a.data(), bytes, s.handle), "cuMemcpyHtoD"), s.finish();
    d.check(d.cuMemcpyHtoDAsync(on_b.at, b.data(), bytes, s.handle), "cuMemcpyHtoD"), s.finish();
    k.launch(on_a.at, on_b.at, on_c.at, int(o.size), s.handle), s.finish();
    d.check(d.cuMemcpyDtoHAsync(c.data(), on_c.at, bytes, s.handle), "cuMemcpyDtoH"), s.finish();
    expect_product(c.back(), o.size);
  };
  once();
  const long times = bench::products_of_a_series(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < times; ++i) once();
  return {clock.seconds() * 1e6 / double(times)};
}

bench::outcome series_of(const bench::options& o, const product_kernel& k) {
  const driver& d = driver::first();
  const std::size_t count = elements_of(o.size), bytes = count * sizeof(float);
  struct one {
    locked_floats a, b, c;
    memory on_a, on_b, on_c;
    stream s;
    bool is_under_way = false;
    explicit one(std::size_t n, std::size_t bytes)
        : a(n, 0.5f), b(n, 0.5f), c(n, 0), on_a(bytes), on_b(bytes), on_c(bytes) {}
  };
  std::vector<std::unique_ptr<one>> all;
  for (int i = 0; i < bench::products_under_way; ++i) all.push_back(std::make_unique<one>(count, bytes));
  const auto begin = [&](one& x) {
    d.check(d.cuMemcpyHtoDAsync(x.on_a.at, x.a.data(), bytes, x.s.handle), "cuMemcpyHtoDAsync");
    d.check(d.cuMemcpyHtoDAsync(x.on_b.at, x.b.data(), bytes, x.s.handle), "cuMemcpyHtoDAsync");
    k.launch(x.on_a.at, x.on_b.at, x.on_c.at, int(o.size), x.s.handle);
    d.check(d.cuMemcpyDtoHAsync(x.c.data(), x.on_c.at, bytes, x.s.handle), "cuMemcpyDtoHAsync");
    x.is_under_way = true;
  };
  const auto end = [&](one& x) {
    x.s.finish();
    x.is_under_way = false;
    expect_product(x.c.data()[count - 1], o.size);
  };
  begin(*all[0]), end(*all[0]);
  const long times = bench::products_of_a_series(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < times; ++i) {
    one& x = *all[std::size_t(i) % all.size()];
    if (x.is_under_way) end(x);
    begin(x);
  }
  for (const auto& x : all)
    if (x->is_under_way) end(*x);
  return {clock.seconds() * 1e6 / double(times)};
}

bench::outcome time_series(const bench::options& o) { return series_of(o, product_kernel::simple()); }

bench::outcome time_series_tiled(const bench::options& o) {
  if (o.size % 64) throw bench::unsupported("tiles are of 64 x 64 elements");
  return series_of(o, product_kernel::tiled());
}

/// Kernels of one thread that each follow the one before: the stream's order.
bench::outcome time_chain(const bench::options& o) {
  const driver& d = driver::first();
  const CUfunction k = d.compile(nothing_text, "nothing");
  const memory x(64);
  const stream s;
  const auto run = [&](long count) {
    for (long i = 0; i < count; ++i) {
      CUdeviceptr at = x.at;
      void* given[] = {&at};
      d.check(d.cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, s.handle, given, nullptr), "cuLaunchKernel");
    }
    s.finish();
  };
  run(10);
  const bench::stopwatch clock;
  run(o.size);
  return {clock.seconds() * 1e6 / double(o.size)};
}

/// To the device and back, each alone, `size` KiB at a time.
bench::outcome copies_with(const bench::options& o, float* here) {
  const driver& d = driver::first();
  const std::size_t bytes = std::size_t(o.size) << 10;
  const memory there(bytes);
  const stream s;
  const auto once = [&] {
    d.check(d.cuMemcpyHtoDAsync(there.at, here, bytes, s.handle), "cuMemcpyHtoDAsync"), s.finish();
    d.check(d.cuMemcpyDtoHAsync(here, there.at, bytes, s.handle), "cuMemcpyDtoHAsync"), s.finish();
  };
  once();
  const long times = bench::copies_of(o.size);
  const bench::stopwatch clock;
  for (long i = 0; i < times; ++i) once();
  const double seconds = clock.seconds();
  // The copy back proves that the bytes were there: only the device's copy has them.
  here[bytes / sizeof(float) - 1] = 7;
  d.check(d.cuMemcpyDtoHAsync(here, there.at, bytes, s.handle), "cuMemcpyDtoHAsync"), s.finish();
  bench::expect("number that came back", long(here[bytes / sizeof(float) - 1]), 1);
  return {2 * double(bytes) * double(times) / seconds / 1e9};
}

bench::outcome time_copies(const bench::options& o) {
  const locked_floats here(std::size_t(o.size) << 8, 1);
  return copies_with(o, here.data());
}
bench::outcome time_copies_naive(const bench::options& o) {
  std::vector<float> here(std::size_t(o.size) << 8, 1);
  return copies_with(o, here.data());
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  using bench::repeat;
  const bench::program system{
      .system = "cuda",
      .entries = {{"device_series", "us/product", better::lower, 64, time_series, repeat::once},
                  {"device_series_naive", "us/product", better::lower, 64, time_series_naive, repeat::once},
                  {"device_series_tiled", "us/product", better::lower, 64, time_series_tiled, repeat::once},
                  {"device_chain", "us/kernel", better::lower, 2000, time_chain, repeat::once},
                  {"device_copy", "GB/s", better::higher, 1024, time_copies, repeat::once},
                  {"device_copy_naive", "GB/s", better::higher, 1024, time_copies_naive, repeat::once}}};
  return bench::run(system, argc, argv);
}
