// Published results, computed by kernels on objects: on the host, on simulated devices and on OpenCL's.
//
// STRETTO_TEST_LONG=1 adds EP's class A and larger plates and products.
#include <doctest/doctest.h>

#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "function_reference.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::applications {

// clang-format off
STRETTO_DEVICE_CONSTANT(uint64_t, low_46_bits, 70368744177663)

// NAS Parallel Benchmarks, EP: a batch of pairs that are uniform in a square, those within the circle turned into Gaussian ones.
STRETTO_KERNEL(gaussian_pairs, (out<double, 2> sums, out<int> counts, int pairs), {
  int batch = global_id(0);
  uint64_t a = 1220703125;  // 5^13
  uint64_t s = 271828183;
  uint64_t factor = a;
  for (uint64_t n = 2 * (uint64_t)(pairs) * (uint64_t)(batch); n > 0; n = n / 2) {  // s becomes the number before the batch's first
    if (n % 2 == 1) s = (s * factor) & low_46_bits;
    factor = (factor * factor) & low_46_bits;
  }
  double unit = 1.0 / 70368744177664.0;
  double sx = 0;
  double sy = 0;
  int count = 0;
  for (int i = 0; i < pairs; ++i) {
    s = (s * a) & low_46_bits;
    double x = 2.0 * ((double)(s) * unit) - 1.0;
    s = (s * a) & low_46_bits;
    double y = 2.0 * ((double)(s) * unit) - 1.0;
    double t = x * x + y * y;
    if (t <= 1.0) {
      double f = sqrt(-2.0 * log(t) / t);
      sx += x * f;
      sy += y * f;
      count += 1;
    }
  }
  sums(batch, 0) = sx;
  sums(batch, 1) = sy;
  counts(batch) = count;
})

STRETTO_KERNEL(relaxed, (in<float, 2> u, inout<float, 2> v), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = 0.25f * (u(i, j + 1) + u(i, j - 1) + u(i - 1, j) + u(i + 1, j));
})
STRETTO_KERNEL(largest_change, (in<float, 2> u, in<float, 2> v, out<float> rows, int columns), {
  int i = global_id(0);
  float most = 0;
  for (int j = 0; j < columns; ++j) most = fmax(most, fabs(u(i, j) - v(i, j)));
  rows(i) = most;
})

STRETTO_KERNEL(product_of_blocks, (in<double, 2> a, in<double, 2> b, inout<double, 2> c, int first, int last), {
  int i = global_id(0), j = global_id(1);
  double sum = c(i, j);
  for (int k = first; k < last; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})

STRETTO_GROUP_KERNEL(scan_of_groups, (in<unsigned> x, out<unsigned> y, out<unsigned> totals, local<unsigned> from, local<unsigned> to), {
  int n = group_size(0);
  each_item([&](item it) { from(it.local_id(0)) = x(it.global_id(0)); });
  for (int distance = 1; distance < n; distance *= 2) {
    each_item([&](item it) {
      int l = it.local_id(0);
      to(l) = l >= distance ? from(l) + from(l - distance) : from(l);
    });
    each_item([&](item it) { from(it.local_id(0)) = to(it.local_id(0)); });
  }
  each_item([&](item it) {
    int l = it.local_id(0);
    y(it.global_id(0)) = from(l);
    if (l == n - 1) totals(group_id(0)) = from(l);
  });
})
STRETTO_KERNEL(with_totals, (inout<unsigned> y, in<unsigned> totals, int of), {
  int i = global_id(0);
  if (i >= of) y(i) += totals(i / of - 1);
})
STRETTO_GROUP_KERNEL(folded, (in<float> x, out<float> sums, local<float> part), {
  each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
  for (int half = group_size(0) / 2; half > 0; half /= 2)
    each_item([&](item it) {
      if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
    });
  each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
})
// clang-format on

namespace {

bool is_long() {
  const char* const asked = std::getenv("STRETTO_TEST_LONG");
  return asked && std::string(asked) == "1";
}

/// Calls `body(where)` on the host, then with devices, where all launches are for these.
void on_each_kind(test::function_reference<void(const on_kinds&)> body) {
  static const std::vector<std::string> kinds =
      test::usable_devices({"none", "sim:2", "opencl:1"}, "published results");
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "64M");
  for (const std::string& kind : kinds) {
    INFO("devices " << kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] { body(on(kind == "none" ? device_kind::host : device_kind::device)); });
  }
}

struct ep_class {
  const char* name;
  int log_of_pairs;
  double sx, sy;
  long accepted;  // 0: not known to us
};

TEST_CASE("NPB EP gives the published sums") {
  // D. Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, and verify() of NPB 3.4's EP; relative error 1e-8.
  const std::vector<ep_class> all{{"S", 24, -3.247834652034740e+3, -6.958407078382297e+3, 13176389},
                                  {"W", 25, -2.863319731645753e+3, -6.320053679109499e+3, 0},
                                  {"A", 28, -4.295875165629892e+3, -1.580732573678431e+4, 0}};
  constexpr int pairs = 1 << 16;
  for (const ep_class& c : all) {
    if (c.log_of_pairs > 25 && !is_long()) continue;
    INFO("class " << c.name);
    const int batches = 1 << (c.log_of_pairs - 16), parts = 8;
    on_each_kind([&](auto where) {
      object<double, 2> sums(box({0, 0}, {batches, 2}));
      object<int> counts(box(0, batches));
      for (int p = 0; p < parts; ++p) {
        const int first = batches / parts * p, end = batches / parts * (p + 1);
        launch(where, gaussian_pairs, box(first, end), sums(box({first, 0}, {end, 2})), counts(box(first, end)), pairs);
      }
      const auto s = sums.read().get();
      const auto n = counts.read().get();
      double sx = 0, sy = 0;
      long accepted = 0;
      for (int b = 0; b < batches; ++b) sx += s.view()(b, 0), sy += s.view()(b, 1), accepted += n.view()(b);
      CHECK(std::abs((sx - c.sx) / c.sx) <= 1e-8);
      CHECK(std::abs((sy - c.sy) / c.sy) <= 1e-8);
      if (c.accepted) CHECK(accepted == c.accepted);
    });
  }
}

TEST_CASE("Jacobi's relaxation changes as much as published") {
  // The changes that NVIDIA's first OpenACC example prints for 4096 x 4096 (M. Harris, "An OpenACC Example, part 1",
  // 2012). Early on the far borders do not matter: a smaller plate has the same.
  const std::vector<std::pair<int, double>> published{
      {0, 0.250000},   {100, 0.002397}, {200, 0.001204}, {300, 0.000804}, {400, 0.000603},
      {500, 0.000483}, {600, 0.000403}, {700, 0.000345}, {800, 0.000302}, {900, 0.000269}};
  const int n = is_long() ? 1024 : 192, last = is_long() ? 900 : 200, bands = 3;
  on_each_kind([&](auto where) {
    const box whole({0, 0}, {n, n});
    std::vector<float> begin(std::size_t(n) * std::size_t(n));
    for (int i = 0; i < n; ++i) begin[std::size_t(i) * std::size_t(n)] = 1;
    object<float, 2> u(whole, begin.data(), {.name = "u"}), v(whole, begin.data(), {.name = "v"});
    object<float> rows(box(0, n));
    auto next = published.begin();
    for (int step = 0; step <= last; ++step, std::swap(u, v)) {
      for (int b = 0; b < bands; ++b) {
        const int first = 1 + (n - 2) * b / bands, end = 1 + (n - 2) * (b + 1) / bands;
        launch(where, relaxed, box({first, 1}, {end, n - 1}), u(box({first - 1, 0}, {end + 1, n})),
               v(box({first, 0}, {end, n})));
      }
      if (next == published.end() || next->first != step) continue;
      launch(where, largest_change, box(0, n), u, v, rows, n);
      const auto seen = rows.read().get();
      float most = 0;
      for (int i = 0; i < n; ++i) most = std::max(most, seen.view()(i));
      INFO("step " << step);
      CHECK(std::abs(most - next->second) <= 0.51e-6);
      ++next;
    }
  });
}

using dgemm = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                   const int*, const double*, const int*, const double*, double*, const int*);

TEST_CASE("a product by blocks is that of a BLAS") {
  void* const library = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "no test of a product beside a BLAS: %s (apt install libblas3)\n", dlerror());
    return;
  }
  const auto multiply = reinterpret_cast<dgemm*>(dlsym(library, "dgemm_"));
  REQUIRE((multiply != nullptr));
  const int n = is_long() ? 768 : 144, block = n / 3;
  std::mt19937 draw(17);
  std::vector<double> a(std::size_t(n) * std::size_t(n)), b(a.size()), expected(a.size()), zeros(a.size());
  for (std::vector<double>* m : {&a, &b})
    for (double& x : *m) x = double(draw()) / 4294967296.0 - 0.5;
  const double one = 1, zero = 0;
  multiply("N", "N", &n, &n, &n, &one, b.data(), &n, a.data(), &n, &zero, expected.data(), &n);  // it counts by columns
  on_each_kind([&](auto where) {
    const box whole({0, 0}, {n, n});
    object<double, 2> x(whole, a.data()), y(whole, b.data()), z(whole, zeros.data());
    const auto at = [&](int i, int j) { return box({i, j}, {i + block, j + block}); };
    for (int i = 0; i < n; i += block)
      for (int j = 0; j < n; j += block)
        for (int k = 0; k < n; k += block)
          launch(where, product_of_blocks, at(i, j), x(at(i, k)), y(at(k, j)), z(at(i, j)), k, k + block);
    const auto seen = z.read().get();
    double worst = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        worst =
            std::max(worst, std::abs(seen.view()(i, j) - expected[std::size_t(i) * std::size_t(n) + std::size_t(j)]));
    CHECK(worst <= 1e-15 * n);  // n products of at most 1/4, in another order
  });
}

TEST_CASE("scans and sums are those of the standard library") {
  constexpr int of = 128;
  const int groups = of, n = groups * of;
  std::mt19937 draw(23);
  std::vector<unsigned> numbers(static_cast<std::size_t>(n));
  std::vector<float> reals(numbers.size());
  for (unsigned& x : numbers) x = draw();
  for (float& x : reals) x = float(draw() % 1024) / 1024;
  std::vector<unsigned> expected(numbers.size());
  std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin());
  const double sum = std::reduce(reals.begin(), reals.end(), 0.0);
  on_each_kind([&](auto where) {
    object<unsigned> x(box(0, n), numbers.data()), y(box(0, n)), totals(box(0, groups)), scanned(box(0, groups)),
        total(box(0, 1));
    launch(where, scan_of_groups, in_groups({0, groups}, of), x, y, totals, local_size{of}, local_size{of});
    launch(where, scan_of_groups, in_groups({0, 1}, of), totals, scanned, total, local_size{of}, local_size{of});
    launch(where, with_totals, box(0, n), y, scanned, of);
    const auto seen = y.read().get();
    bool same = true;
    for (int i = 0; i < n; ++i) same = same && seen.view()(i) == expected[std::size_t(i)];
    CHECK(same);

    object<float> r(box(0, n), reals.data()), parts(box(0, groups)), all(box(0, 1));
    launch(where, folded, in_groups({0, groups}, of), r, parts, local_size{of});
    launch(where, folded, in_groups({0, 1}, of), parts, all, local_size{of});
    CHECK(all.read().get().view()(0) == doctest::Approx(sum).epsilon(1e-6));
  });
}

}  // namespace
}  // namespace stretto::applications
