// device_kernels.cpp - Stretto: kernels on a device, compared with hand-written ones in the device's own language,
// alternately in one process.
//
// Stretto launches both on the same instances, so a figure compares the generated code: the time of the hand-written
// kernel divided by that of the Stretto kernel; more than 1 is faster. The hand-written kernels are CUDA C++ if there
// is a CUDA device, else OpenCL C; the driver chooses the shape of groups, except for group kernels. --size is the side
// of the fields; factors have a fourth of it.
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/native_kernel.hpp>
#include <stretto/platform.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/products.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(device_update, (in<float, 2> x, inout<float, 2> y, float c), {
  int i = global_id(0), j = global_id(1);
  y(i, j) += c * x(i, j);
})

STRETTO_KERNEL(device_stencil, (in<float, 2> u, inout<float, 2> v, float c), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = u(i, j) + c * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0f * u(i, j));
})

STRETTO_KERNEL(device_space, (in<float, 3> u, inout<float, 3> v, float c), {
  int i = global_id(0), j = global_id(1), k = global_id(2);
  v(i, j, k) = u(i, j, k) + c * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1) -
                                 6.0f * u(i, j, k));
})

STRETTO_GROUP_KERNEL(device_sums, (in<float, 2> x, inout<float, 2> sums, local<float> part), {
  each_item([&](item it) { part(it.local_id(1)) = x(it.global_id(0), it.global_id(1)); });
  for (int half = group_size(1) / 2; half > 0; half /= 2)
    each_item([&](item it) {
      if (it.local_id(1) < half) part(it.local_id(1)) += part(it.local_id(1) + half);
    });
  each_item([&](item it) { if (it.local_id(1) == 0) sums(group_id(0), group_id(1)) = part(0); });
})
// clang-format on

namespace {

// The languages' own words for what follows; `a` counts the device's axes.
constexpr const char* opencl_words = R"(
#define KERNEL kernel void
#define GLOBAL global
#define RESTRICT restrict
#define LOCAL local
#define PART(name) local float* name
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ID_X ((int)get_global_id(0))
#define ID_Y ((int)get_global_id(1))
#define ID_Z ((int)get_global_id(2))
#define GROUP_X ((int)get_group_id(0))
#define GROUP_Y ((int)get_group_id(1))
#define LOCAL_X ((int)get_local_id(0))
#define LOCAL_Y ((int)get_local_id(1))
#define GROUP_SIZE_X ((int)get_local_size(0))
#define WITHIN(i, n)
)";
constexpr const char* cuda_words = R"(
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define RESTRICT __restrict__
#define LOCAL __shared__
#define BARRIER __syncthreads()
#define ID_X ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define ID_Y ((int)(blockIdx.y * blockDim.y + threadIdx.y))
#define ID_Z ((int)(blockIdx.z * blockDim.z + threadIdx.z))
#define GROUP_X ((int)blockIdx.x)
#define GROUP_Y ((int)blockIdx.y)
#define LOCAL_X ((int)threadIdx.x)
#define LOCAL_Y ((int)threadIdx.y)
#define GROUP_SIZE_X ((int)blockDim.x)
#define WITHIN(i, n) if ((i) >= (n)) return;
)";

// Fields have a border of one element, and `row` elements from row to row; n items along each axis.
constexpr const char* update_text = R"(
KERNEL update(GLOBAL const float* RESTRICT x, GLOBAL float* RESTRICT y, float c, int n) {
  int i = ID_Y, j = ID_X, at = (i + 1) * (n + 2) + j + 1;
  WITHIN(j, n) WITHIN(i, n)
  y[at] += c * x[at];
})";
constexpr const char* stencil_text = R"(
KERNEL stencil(GLOBAL const float* RESTRICT u, GLOBAL float* RESTRICT v, float c, int n) {
  int i = ID_Y, j = ID_X, row = n + 2, at = (i + 1) * row + j + 1;
  WITHIN(j, n) WITHIN(i, n)
  v[at] = u[at] + c * (u[at - row] + u[at + row] + u[at - 1] + u[at + 1] - 4.0f * u[at]);
})";
constexpr const char* space_text = R"(
KERNEL space(GLOBAL const float* RESTRICT u, GLOBAL float* RESTRICT v, float c, int n) {
  int i = ID_Z, j = ID_Y, k = ID_X, row = n + 2, plane = row * row, at = (i + 1) * plane + (j + 1) * row + k + 1;
  WITHIN(k, n) WITHIN(j, n) WITHIN(i, n)
  v[at] = u[at] + c * (u[at - plane] + u[at + plane] + u[at - row] + u[at + row] + u[at - 1] + u[at + 1] - 6.0f * u[at]);
})";
constexpr const char* product_text = R"(
KERNEL product(GLOBAL const float* RESTRICT a, GLOBAL const float* RESTRICT b, GLOBAL float* RESTRICT c, int n) {
  int i = ID_Y, j = ID_X;
  WITHIN(j, n) WITHIN(i, n)
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
})";
constexpr const char* tiles_text = R"(
KERNEL tiles(GLOBAL const float* RESTRICT a, GLOBAL const float* RESTRICT b, GLOBAL float* RESTRICT c, int n) {
  LOCAL float x[16][16], y[16][16];
  int i = LOCAL_Y, j = LOCAL_X, all_i = ID_Y, all_j = ID_X;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 16) {
    x[i][j] = a[all_i * n + k0 + j];
    y[i][j] = b[(k0 + i) * n + all_j];
    BARRIER;
    for (int k = 0; k < 16; ++k) sum += x[i][k] * y[k][j];
    BARRIER;
  }
  c[all_i * n + all_j] = sum;
})";
constexpr const char* sums_text = R"(
KERNEL sums(GLOBAL const float* RESTRICT x, GLOBAL float* RESTRICT all, int n) {
  LOCAL float part[256];
  int t = LOCAL_X;
  part[t] = x[ID_Y * n + ID_X];
  BARRIER;
  for (int left = GROUP_SIZE_X / 2; left > 0; left /= 2) {
    if (t < left) part[t] += part[t + left];
    BARRIER;
  }
  if (t == 0) all[GROUP_Y * (n / 256) + GROUP_X] = part[0];
})";

template <class Signature>
native_kernel<Signature> by_hand(const char* name, const char* text, bool in_groups = false) {
  return native_kernel<Signature>({.name = name,
                                   .in_groups = in_groups,
                                   .opencl = native_code::text(std::string(opencl_words) + text),
                                   .cuda = native_code::text(std::string(cuda_words) + text)});
}

/// Arrays on the device for as long as a benchmark lasts, all with the same content where they begin alike.
template <std::size_t D>
class filled {
 public:
  filled(const box& elements, float scale)
      : here_(instance<float, D>::create(at(places().first), elements).made),
        is_(instance<float, D>::create(at(places().second), elements).made) {
    float* const first = here_.data();
    for (std::int64_t i = 0; i < elements.volume(); ++i) first[i] = scale * float(i % 13);
    wait(copy(here_, is_));
  }
  ~filled() { here_.destroy(), is_.destroy(); }
  filled(const filled&) = delete;
  filled& operator=(const filled&) = delete;

  const instance<float, D>& operator*() const { return is_; }
  void expect_like(const filled& other) const {
    wait(copy(is_, here_)), wait(copy(other.is_, other.here_));
    const float *const mine = here_.data(), *const its = other.here_.data();
    for (std::int64_t i = 0; i < here_.elements().volume(); ++i)
      if (!(std::abs(mine[i] - its[i]) <= 1e-4f * std::max(1.0f, std::abs(its[i]))))
        throw bench::wrong_answer("the kernel and the text by hand differ");
  }

 private:
  static std::pair<place, place> places() {
    const platform& m = this_machine();
    return {m.memories().front(), m.places(place_kind::gpu_memory).front()};
  }
  instance<float, D> here_, is_;
};

/// Runs both alternately for half a second; returns the median ratio of the hand-written kernel to the other one.
template <class ByHand, class Kernel>
double compare(ByHand&& by_hand, Kernel&& kernel) {
  by_hand(), kernel();  // compiles both
  std::vector<double> ratios;
  const bench::stopwatch all;
  while (ratios.size() < 11 || (ratios.size() < 301 && all.seconds() < 0.5)) {
    const bench::stopwatch one;
    by_hand();
    const double its = one.seconds();
    kernel();
    ratios.push_back(its / (one.seconds() - its));
  }
  return bench::median(ratios);
}

box square(std::int64_t n, std::int64_t border) { return box({-border, -border}, {n + border, n + border}); }

}  // namespace

bench::outcome compare_device_update(const bench::options& o) {
  double ratio = 0;
  with_device(o.workers, {}, [&](runtime&) {
    static const auto text =
        by_hand<void(kernels::in<float, 2>, kernels::inout<float, 2>, float, int)>("update", update_text);
    const auto n = int(o.size);
    const filled<2> x(square(n, 1), 1), mine(square(n, 1), 2), its(square(n, 1), 2);
    ratio = compare([&] { wait(launch(text, square(n, 0), *x, *its, 0.001f, n)); },
                    [&] { wait(launch(device_update, square(n, 0), *x, *mine, 0.001f)); });
    mine.expect_like(its);
  });
  return {ratio};
}

bench::outcome compare_device_stencil(const bench::options& o) {
  double ratio = 0;
  with_device(o.workers, {}, [&](runtime&) {
    static const auto text =
        by_hand<void(kernels::in<float, 2>, kernels::inout<float, 2>, float, int)>("stencil", stencil_text);
    const auto n = int(o.size);
    const filled<2> u(square(n, 1), 1), mine(square(n, 1), 0), its(square(n, 1), 0);
    ratio = compare([&] { wait(launch(text, square(n, 0), *u, *its, 0.1f, n)); },
                    [&] { wait(launch(device_stencil, square(n, 0), *u, *mine, 0.1f)); });
    mine.expect_like(its);
  });
  return {ratio};
}

bench::outcome compare_device_space(const bench::options& o) {
  double ratio = 0;
  with_device(o.workers, {}, [&](runtime&) {
    static const auto text =
        by_hand<void(kernels::in<float, 3>, kernels::inout<float, 3>, float, int)>("space", space_text);
    const auto n = int(std::cbrt(double(o.size) * double(o.size)));
    const auto cube = [n](std::int64_t border) {
      return box({-border, -border, -border}, {n + border, n + border, n + border});
    };
    const filled<3> u(cube(1), 1), mine(cube(1), 0), its(cube(1), 0);
    ratio = compare([&] { wait(launch(text, cube(0), *u, *its, 0.1f, n)); },
                    [&] { wait(launch(device_space, cube(0), *u, *mine, 0.1f)); });
    mine.expect_like(its);
  });
  return {ratio};
}

namespace {

template <class ByHand, class Kernel>
bench::outcome compare_products(const bench::options& o, ByHand&& by_hand, Kernel&& kernel) {
  double ratio = 0;
  with_device(o.workers, {}, [&](runtime&) {
    const int n = int(o.size / 4) / 16 * 16;
    const filled<2> a(square(n, 0), 0.125f), b(square(n, 0), 0.25f), mine(square(n, 0), 0), its(square(n, 0), 0);
    ratio = compare([&] { wait(by_hand(n, *a, *b, *its)); }, [&] { wait(kernel(n, *a, *b, *mine)); });
    mine.expect_like(its);
  });
  return {ratio};
}

}  // namespace

bench::outcome compare_device_product(const bench::options& o) {
  static const auto text = by_hand<void(kernels::in<float, 2>, kernels::in<float, 2>, kernels::inout<float, 2>, int)>(
      "product", product_text);
  return compare_products(
      o, [](int n, auto& a, auto& b, auto& c) { return launch(text, square(n, 0), a, b, c, n); },
      [](int n, auto& a, auto& b, auto& c) { return launch(plain_product, square(n, 0), a, b, c, n); });
}

bench::outcome compare_device_tiles(const bench::options& o) {
  static const auto text = by_hand<void(kernels::in<float, 2>, kernels::in<float, 2>, kernels::inout<float, 2>, int)>(
      "tiles", tiles_text, true);
  const auto groups = [](int n) { return in_groups(square(n / 16, 0), {16, 16}); };
  return compare_products(
      o, [&](int n, auto& a, auto& b, auto& c) { return launch(text, groups(n), a, b, c, n); },
      [&](int n, auto& a, auto& b, auto& c) { return launch(product_of_tiles, groups(n), a, b, c, n); });
}

bench::outcome compare_device_sums(const bench::options& o) {
  double ratio = 0;
  with_device(o.workers, {}, [&](runtime&) {
    static const auto text =
        by_hand<void(kernels::in<float, 2>, kernels::inout<float, 2>, int)>("sums", sums_text, true);
    const int n = std::max(256, int(o.size) / 256 * 256);
    const box groups({0, 0}, {n, n / 256});
    const filled<2> x(square(n, 0), 1), mine(groups, 0), its(groups, 0);
    ratio = compare([&] { wait(launch(text, in_groups(groups, {1, 256}), *x, *its, n)); },
                    [&] { wait(launch(device_sums, in_groups(groups, {1, 256}), *x, *mine, local_size{256})); });
    mine.expect_like(its);
  });
  return {ratio};
}
