// Launches with mappers, divided between devices of different speed.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <numeric>
#include <vector>

#include "objects/speeds.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

// clang-format off
STRETTO_KERNEL(divided_jacobi, (in<float, 2> u, out<float, 2> v, float c), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = u(i, j) + c * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
})
STRETTO_KERNEL(divided_product, (in<int, 2> a, in<int, 2> b, out<int, 2> c, int n), {
  int i = global_id(0), j = global_id(1), s = 0;
  for (int k = 0; k < n; ++k) s += a(i, k) * b(k, j);
  c(i, j) = s;
})
STRETTO_KERNEL(divided_reverse, (in<int> x, out<int> y, reduce<sum<int>> total, int n), {
  int i = global_id(0);
  y(i) = x(n - 1 - i);
  total(0) << x(n - 1 - i);
})
STRETTO_KERNEL(undivided, (out<int> x, int n), { x(global_id(0)) = n; })
STRETTO_GROUP_KERNEL(divided_groups, (in<int> x, out<int> y, local<int> part), {
  each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
  each_item([&](item it) { y(it.global_id(0)) = part(7 - it.local_id(0)); });
})
// clang-format on

const std::vector<std::string>& divided_devices() {
  static const std::vector<std::string> all =
      test::usable_devices({"none", "sim", "sim:3", "opencl:1", "opencl:1,sim:2"}, "objects");
  return all;
}

/// The number of places that have computed something.
std::size_t places_that_computed(const runtime& rt) {
  std::size_t n = 0;
  for (const device_statistics& d : rt.statistics().devices) n += d.launches > 0;
  return n;
}

TEST_CASE("mappers say which elements a part uses") {
  const box elements({0, 0}, {10, 8}), part({2, 3}, {4, 8});
  CHECK(one_to_one(part, elements) == part);
  CHECK(one_to_one(box({8, 3}, {12, 9}), elements) == box({8, 3}, {10, 8}));
  CHECK(neighborhood(1)(part, elements) == box({1, 2}, {5, 8}));
  CHECK(neighborhood(0, 2)(part, elements) == box({2, 1}, {4, 8}));
  CHECK(slice(0)(part, elements) == box({0, 3}, {10, 8}));
  CHECK(slice(1)(part, elements) == box({2, 0}, {4, 8}));
  CHECK(neighborhood(1)(box(), elements).is_empty());
}

TEST_CASE("parts of divided launches have their turn on a busy device, whatever else waits for it") {
  runtime rt({.workers = 2, .devices = "sim(launch_us=1000)"});
  rt.run([] {
    constexpr int steps = 10, beside = 8;
    const box whole({0, 0}, {32, 32}), inner({1, 1}, {31, 31}), few(0, 8);
    const std::vector<float> ones(32 * 32, 1);
    object<float, 2> u(whole, ones.data()), v(whole, ones.data());
    std::vector<object<int>> others;
    for (int n = 0; n < steps * beside; ++n) others.emplace_back(few);
    for (int n = 0; n < steps * beside; ++n) {
      if (n % beside == beside / 2)
        launch(divided_jacobi, inner, u(neighborhood(1)), v(one_to_one), 0.25f), std::swap(u, v);
      launch(on(device_kind::device), undivided, few, others[static_cast<std::size_t>(n)], n);
    }
    CHECK(u.read().get().view()(16, 16) == 1);
    for (int n = 0; n < steps * beside; ++n) CHECK(others[static_cast<std::size_t>(n)].read().get().view()(7) == n);
  });
}

TEST_CASE("a divided stencil gives what a loop gives, on all that compute") {
  for (const std::string& kind : divided_devices()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      constexpr int n = 60, steps = 20;
      const box whole({0, 0}, {n, n}), inner({1, 1}, {n - 1, n - 1});
      std::vector<float> a(n * n), b(n * n), seen(n * n);
      a[n / 2 * n + n / 3] = 64;
      object<float, 2> u(whole, a.data(), {.name = "u"}), v(whole, b.data(), {.name = "v"});
      for (int s = 0; s < steps; ++s) {
        launch(divided_jacobi, inner, u(neighborhood(1)), v(one_to_one), 0.25f);
        std::swap(u, v);
        for (int i = 1; i < n - 1; ++i)
          for (int j = 1; j < n - 1; ++j)
            b[i * n + j] = a[i * n + j] + 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                                                   a[i * n + j + 1] - 4 * a[i * n + j]);
        std::swap(a, b);
      }
      wait(u.copy_to(seen.data()));
      int wrong = 0;
      for (int i = 0; i < n * n; ++i) wrong += std::abs(seen[i] - a[i]) > 1e-4f;
      CHECK(wrong == 0);
    });
    CHECK(places_that_computed(rt) == rt.statistics().devices.size());  // at first all, to be measured
  }
}

TEST_CASE("rows of a product, a mapper of the program's own, contributions, and groups") {
  for (const std::string& kind : divided_devices()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      constexpr int n = 24;
      const box whole({0, 0}, {n, n});
      std::vector<int> a(n * n), b(n * n), seen(n * n);
      for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 11 - 5;
      object<int, 2> x(whole, a.data()), y(whole, b.data()), z(whole);
      launch(divided_product, whole, x(slice(1)), y, z(one_to_one), n);
      wait(z.copy_to(seen.data()));
      int wrong = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          int s = 0;
          for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k * n + j];
          wrong += seen[i * n + j] != s;
        }
      CHECK(wrong == 0);

      constexpr int m = 1000;
      std::vector<int> numbers(m), backwards(m);
      std::iota(numbers.begin(), numbers.end(), 1);
      object<int> from(box(0, m), numbers.data()), to(box(0, m)), total(box(0, 1));
      launch(divided_reverse, box(0, m),
             from([](const box& part) { return box(m - part.max()[0], m - part.min()[0]); }), to(one_to_one), total, m);
      wait(to.copy_to(backwards.data()));
      CHECK(std::equal(numbers.begin(), numbers.end(), backwards.rbegin()));
      CHECK(total.read().get().view()(0) == m * (m + 1) / 2);

      launch(divided_groups, in_groups(box(0, m / 8), extent(8)), from(one_to_one), to(one_to_one), local_size{8});
      wait(to.copy_to(backwards.data()));
      CHECK(backwards[0] == 8);
      CHECK(backwards[999] == 993);
    });
  }
}

TEST_CASE("a launch that does not say what it writes where is computed as a whole") {
  runtime rt({.workers = 2, .devices = "sim:2"});
  rt.run([] {
    const box whole({0, 0}, {8, 8});
    std::vector<int> a(64, 1);
    object<int, 2> x(whole, a.data()), z(whole);
    wait(launch(divided_product, whole, x(slice(1)), x, z, 8));
    CHECK(z.read().get().view()(7, 7) == 8);
  });
  CHECK(places_that_computed(rt) == 1);
}

TEST_CASE("with checks, parts that would write the same elements are reported even if nothing is divided") {
  const test::with_variable check("STRETTO_CHECK", "1");
  runtime rt({.workers = 2, .devices = "none"});
  rt.run([] {
    const std::vector<float> ones(400, 1.0f);
    object<float, 2> u(box({0, 0}, {20, 20}), ones.data(), {.name = "u"}),
        v(box({0, 0}, {20, 20}), ones.data(), {.name = "v"});
    const box inner({1, 1}, {19, 19});
    CHECK(test::error_of([&] {
            launch(divided_jacobi, inner, u(neighborhood(1)), v(neighborhood(1)), 0.25f);
          }).code() == "A07");
    CHECK(v.read().get().view()(5, 5) == 1.0f);
    launch(divided_jacobi, inner, u(neighborhood(1)), v(one_to_one), 0.25f);
    const box row({1, 1}, {2, 19}), one({1, 1}, {2, 2});
    CHECK(test::error_of([&] { launch(divided_jacobi, row, u(neighborhood(1)), v(neighborhood(1)), 0.25f); }).code() ==
          "A07");
    launch(divided_jacobi, one, u(neighborhood(1)), v(neighborhood(1)), 0.25f);  // one item: it has no parts
    v.read().get();
  });
}

TEST_CASE("parts that would write the same elements are refused, and nothing is computed") {
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    object<float, 2> u(box({0, 0}, {20, 20}), {.name = "u"}), v(box({0, 0}, {20, 20}), {.name = "v"});
    const error why = test::error_of(
        [&] { launch(divided_jacobi, box({1, 1}, {19, 19}), u(neighborhood(1)), v(neighborhood(1)), 0.25f); });
    CHECK(why.code() == "A07");
    CHECK(std::string(why.what()).find("object \"v\"") != std::string::npos);
    CHECK(test::error_of([&] {
            launch(divided_jacobi, box({1, 1}, {19, 19}), u([](const box&) { return box({0, 0}, {30, 30}); }),
                   v(one_to_one), 0.25f);
          }).code() == "A05");
  });
  CHECK(places_that_computed(rt) == 0);
}

/// The items that each device computed of a launch over n ids that the host may not compute, with the speeds of two
/// simulated devices known.
std::vector<device_statistics> divided_by(const objects::speeds& measured, int n) {
  const test::temporary_folder kept;
  const std::string file = kept.path / "speeds";
  std::ofstream(file) << measured.text();
  const with_variable speeds("STRETTO_SPEEDS", file.c_str());
  runtime rt({.workers = 2, .devices = "sim:2"});
  rt.run([n] {
    const std::vector<int> numbers(static_cast<std::size_t>(n), 1);
    object<int> from(box(0, n), numbers.data()), to(box(0, n)), total(box(0, 1));
    wait(launch(on(device_kind::device), divided_reverse, box(0, n),
                from([n](const box& part) { return box(n - part.max()[0], n - part.min()[0]); }), to(one_to_one), total,
                n));
    CHECK(total.read().get().view()(0) == n);
  });
  return rt.statistics().devices;
}

TEST_CASE("shares are as large as devices are fast, by what was measured") {
  objects::speeds measured;
  for (const auto& [device, rate] : {std::pair("sim_0", 3e6), std::pair("sim_1", 1e6)})
    for (std::uint64_t items = 1; items <= 1'000'000; items *= 2)
      for (int times = 0; times < 3; ++times)
        measured.record(measured.number_of("divided_reverse", device), items, static_cast<double>(items) / rate);
  const auto all = divided_by(measured, 100'000);
  CHECK(all[0].launches == 0);
  CHECK(static_cast<double>(all[1].brought_bytes) == doctest::Approx(300'000).epsilon(0.01));
  CHECK(static_cast<double>(all[2].brought_bytes) == doctest::Approx(100'000).epsilon(0.01));
}

TEST_CASE("a device that is a thousand times slower gets a thousandth, though nothing as small was measured there") {
  constexpr int n = 100'000;
  objects::speeds measured;
  for (const auto& [device, rate] : {std::pair("sim_0", 1e9), std::pair("sim_1", 1e6)})
    measured.record(measured.number_of("divided_reverse", device), n, n / rate);
  const auto all = divided_by(measured, n);
  CHECK(all[1].brought_bytes > 390'000);
  CHECK(all[2].brought_bytes < 10'000);
}

TEST_CASE("a launch on one kind of device is divided between those") {
  runtime rt({.workers = 2, .devices = "sim:3"});
  rt.run([] {
    const box whole({0, 0}, {12, 12});
    std::vector<int> a(144, 1);
    object<int, 2> x(whole, a.data()), z(whole);
    for (int k = 0; k < 20; ++k)
      launch(on(device_kind::device), divided_product, whole, x(slice(1)), x, z(one_to_one), 12);
    CHECK(z.read().get().view()(11, 11) == 12);
  });
  const auto all = rt.statistics().devices;
  CHECK(all[0].launches == 0);  // the host; the others get shares by their speeds, perhaps nothing
  CHECK(all[1].launches + all[2].launches + all[3].launches >= 20);
}

}  // namespace
}  // namespace stretto
