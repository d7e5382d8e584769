// Kernels on bool and short vectors, of templates and in scopes: every device computes what the host does.
#include <stretto/kernel_template.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <type_traits>

#include "conformance/bench.hpp"
#include "device/kernels_of_several_types.hpp"

namespace stretto::device {
namespace {

using flags = array<unsigned char>;  // a bool has one byte on the host and on devices

/// Launches on a device and on the host with the arguments that the function makes of the arrays; both results have
/// the same bytes.
template <class T>
void check_alike(bench& b, const kernel_code& code, const launch_range& r, array<T> result,
                 const std::vector<launch_argument>& before, const std::vector<kernel_argument>& before_on_host,
                 const std::vector<kernel_argument>& behind) {
  INFO(code.name);
  array<T> expected = result, seen = result;
  std::vector<launch_argument> given = before;
  const launch_argument there = b.put(result);
  given.push_back(there);
  std::vector<kernel_argument> on_the_host = before_on_host;
  on_the_host.push_back(expected.here());
  for (const kernel_argument& a : behind) given.push_back({a}), on_the_host.push_back(a);
  b.launch(code, r, given);
  b.get(seen, there);
  on_host(code, r, on_the_host);
  CHECK(std::memcmp(seen.values.data(), expected.values.data(), seen.bytes()) == 0);
}

template <class T>
T of_components(int n) {
  if constexpr (requires(T v) { v.w; }) {
    using component = decltype(T::x);
    return T(static_cast<component>(n + 8), static_cast<component>(n + 16), static_cast<component>(2 * n + 4),
             static_cast<component>(64 - n));
  } else if constexpr (requires(T v) { v.x; }) {
    using component = decltype(T::x);
    return T(static_cast<component>(n + 8), static_cast<component>(3 * n + 2));
  } else {
    return static_cast<T>(n + 8);
  }
}
template <class T>
array<T> numbers(std::int64_t n) {
  array<T> all({n});
  for (std::int64_t i = 0; i < n; ++i)
    all.values[static_cast<std::size_t>(i)] = of_components<T>(static_cast<int>(i % 50));
  return all;
}

template <class V, class T>
void check_vectors(bench& b) {
  array<V> x = numbers<V>(30), y({30}, V(T(4))), z({30, 14});
  T n = 2;
  check_alike(b, test::vector_arithmetic<V, T>.code(), range({0}, {30}), z, {b.put(x), b.put(y)}, {x.here(), y.here()},
              {stretto::device::value(n)});
}

TEST_CASE("vectors of all types are computed component by component") {
  on_each([](bench& b) {
    check_vectors<float4, float>(b);
    check_vectors<int2, int>(b);
    check_vectors<uint4, unsigned>(b);
    if (b.on->about().has_double) check_vectors<double2, double>(b);
    check_vectors<ulong2, std::uint64_t>(b);
  });
}

TEST_CASE("vectors are made of components, of one number and by their members") {
  on_each([](bench& b) {
    array<float4> v({9, 4});
    float s = 0.25f;
    check_alike(b, test::vectors_made.code(), range({0}, {9}), v, {}, {}, {stretto::device::value(s)});
  });
}

template <class T>
void check_template(bench& b) {
  array<T> x = numbers<T>(64), y({64});
  T first = of_components<T>(1);
  check_alike(b, test::window_sum<T, 3>.code(), range({3}, {61}), y, {b.put(x)}, {x.here()},
              {stretto::device::value(first)});
  check_alike(b, test::turned_in_groups<T, 16>.code(), range({0}, {4}, {16}), y, {b.put(x)}, {x.here()},
              {local_elements(16)});
}

TEST_CASE("kernels of templates are computed for each of their types") {
  on_each([](bench& b) {
    check_template<float>(b);
    check_template<unsigned long long>(b);
    check_template<short>(b);
    check_template<float2>(b);
    check_template<int4>(b);
  });
}

TEST_CASE("the types and numbers of a template are the same for devices, the least and the greatest too") {
  on_each([](bench& b) {
    array<float> x = numbers<float>(20);
    check_alike(b, test::converted<float, int>.code(), range({0}, {20}), array<int>({20}), {b.put(x)}, {x.here()}, {});
    check_alike(b, test::converted<float, float4>.code(), range({0}, {20}), array<float4>({20}), {b.put(x)}, {x.here()},
                {});
    check_alike(b, test::converted<float, std::uint8_t>.code(), range({0}, {20}), array<std::uint8_t>({20}), {b.put(x)},
                {x.here()}, {});
    check_alike(b, test::converted<float, bool>.code(), range({0}, {20}), flags({20}), {b.put(x)}, {x.here()}, {});
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const auto& all = test::numbers_of<std::numeric_limits<int>::min(), ~0u, least, ~std::uint64_t{0}, -128, true>;
    check_alike(b, all.code(), range({0}, {1}), array<std::int64_t>({6}), {}, {}, {});
    const auto& others = test::numbers_of<-1, 0, -5'000'000'000, 1, 127, false>;
    check_alike(b, others.code(), range({0}, {1}), array<std::int64_t>({6}), {}, {}, {});
    int by = 3;
    check_alike(b, test::plane_of<int, 2>.code(), range({0, 0}, {5, 6}), array<int>({5, 6}), {}, {},
                {stretto::device::value(by)});
  });
}

template <class T>
void check_counted(bench& b) {
  array<T> x = numbers<T>(100), sums({4}, T(0)), all({1}, T(0));
  launch_argument from = b.put(x), to = b.put(sums), one = b.put(all);
  b.launch(test::counted<T, 4>.code(), range({0}, {100}), {from, to, one});
  b.get(sums, to), b.get(all, one);
  T expected[4] = {};
  for (std::size_t i = 0; i < 100; ++i) expected[i % 4] += x.values[i];
  for (std::size_t i = 0; i < 4; ++i) CHECK(sums.values[i] == expected[i]);
  CHECK(all.values[0] == expected[0] + expected[1] + expected[2] + expected[3]);
}

TEST_CASE("atomics and contributions of a template's kernel are those of its type") {
  on_each([](bench& b) {
    check_counted<unsigned>(b);
    check_counted<float>(b);
    if (b.on->about().has_atomics_64) check_counted<long>(b);
  });
}

TEST_CASE("a bool is 0 or 1 in arrays, values and memory of groups, whatever it is made from") {
  on_each([](bench& b) {
    flags f({32}), g({32}, 7);
    for (std::size_t i = 0; i < 32; ++i) f.values[i] = i % 3 == 0;
    for (bool turn : {false, true}) {
      array<int> n({32}), seen({32});
      flags got = g;
      launch_argument from = b.put(f), to = b.put(g), counts = b.put(n);
      b.launch(test::flags_turned.code(), range({0}, {32}), {from, to, counts, bench::value(turn)});
      b.get(got, to), b.get(seen, counts);
      int wrong = 0;
      for (std::size_t i = 0; i < 32; ++i)
        wrong += got.values[i] != ((i % 3 == 0) != turn) || seen.values[i] != 2 * got.values[i];
      CHECK(wrong == 0);
    }
    check_alike(b, test::flags_of_groups.code(), range({0}, {4}, {8}), g, {b.put(f)}, {f.here()}, {local_elements(8)});
  });
}

TEST_CASE("structures hold vectors and bools, in arrays and as values") {
  on_each([](bench& b) {
    array<test::flagged_point> old({20});
    std::memset(static_cast<void*>(old.values.data()), 0, old.bytes());
    for (int i = 0; i < 20; ++i) {
      test::flagged_point& p = old.values[static_cast<std::size_t>(i)];
      p.at = float4(static_cast<float>(i), 1, i % 2 ? 2.0f : 0.0f, 3), p.is_alive = i % 3 == 0, p.cell = int2(i, -i);
    }
    array<test::flagged_point> next = old, expected = old;
    float4 wind(1, 2, 3, 4);
    float dt = 0.5f;
    for (const bool is_first : {false, true}) {
      test::point_and_flag by;
      std::memset(static_cast<void*>(&by), 0, sizeof by);
      by.point.at = float4(4), by.point.is_alive = true, by.point.cell = int2(7, 8), by.is_first = is_first;
      launch_argument from = b.put(old), to = b.put(next);
      b.launch(test::points_moved.code(), range({0}, {20}),
               {from, to, bench::value(by), bench::value(wind), bench::value(dt)});
      b.get(next, to);
      on_host(test::points_moved.code(), range({0}, {20}),
              {old.here(), expected.here(), stretto::device::value(by), stretto::device::value(wind),
               stretto::device::value(dt)});
      int wrong = 0;
      for (std::size_t i = 0; i < 20; ++i) {
        const test::flagged_point &a = next.values[i], &e = expected.values[i];
        wrong += std::memcmp(&a.at, &e.at, sizeof a.at) != 0 || std::memcmp(&a.is_alive, &e.is_alive, 1) != 0 ||
                 a.cell.x != e.cell.x || a.cell.y != e.cell.y;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("kernels of classes and functions are computed") {
  on_each([](bench& b) {
    array<float> x = numbers<float>(20);
    check_alike(b, test::relaxation<float>::step.code(), range({0}, {20}), array<float>({20}), {b.put(x)}, {x.here()},
                {});
    array<int> n = numbers<int>(20);
    check_alike(b, test::relaxation<int>::step.code(), range({0}, {20}), array<int>({20}), {b.put(n)}, {n.here()}, {});
    check_alike(b, test::counters::doubled.code(), range({0}, {20}), n, {}, {}, {});
    check_alike(b, test::counters::numbered.code(), range({0}, {5}, {4}), n, {}, {}, {});
    check_alike(b, test::power_kernel<int, 3>().code(), range({0}, {20}), n, {}, {}, {});
    check_alike(b, test::power_kernel<float, 2>().code(), range({0}, {20}), x, {}, {}, {});
    STRETTO_SCOPED_KERNEL(negated, (inout<int> v), { v(global_id(0)) = -v(global_id(0)); })
    check_alike(b, negated.code(), range({0}, {20}), n, {}, {}, {});
  });
}

}  // namespace
}  // namespace stretto::device
