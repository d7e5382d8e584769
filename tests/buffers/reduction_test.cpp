// Reductions into buffers equal loops, on any processors and number of nodes, and are the same on all nodes.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "nodes_with_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(count_up, (out<long long> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(dot, (in<long long> x, in<long long> y, reduce<sum<long long>> s),
               { s(0) << x(global_id(0)) * y(global_id(0)); })
STRETTO_KERNEL(histogram, (in<long long> x, reduce<sum<int>, 2> h),
               { h(x(global_id(0)) % 3, x(global_id(0)) % 5) << 1; })
STRETTO_KERNEL(spread_of, (in<long long> x, reduce<minimum<long long>> least, reduce<maximum<long long>> most), {
  least(0) << x(global_id(0)) * 7 % 101;
  most(0) << x(global_id(0)) * 7 % 101;
})
STRETTO_KERNEL(tenth, (in<long long> x, reduce<sum<float>> s), { s(0) << 0.1f * x(global_id(0)); })

TEST_CASE("a kernel reduces into a buffer: its content and every item's contribution, once each") {
  test::on_nodes_with_devices([] {
    constexpr long long n = 1001;
    buffer<long long> x(box(0, n)), s(box(0, 1), {.name = "s"});
    launch(count_up, x.elements(), x(one_to_one));
    const long long all = (n - 1) * n * (2 * n - 1) / 6;
    launch(dot, x.elements(), x(one_to_one), x(one_to_one), s.from_identity());
    CHECK(s.read().get().view()(0) == all);
    launch(dot, x.elements(), x(one_to_one), x(one_to_one), s);
    launch(dot, box(0, 2), x(one_to_one), x(one_to_one), s);
    CHECK(s.read().get().view()(0) == 2 * all + 1);
    launch(dot, box(5, 5), x(one_to_one), x(one_to_one), s);
    CHECK(s.read().get().view()(0) == 2 * all + 1);
    launch(dot, box(5, 5), x(one_to_one), x(one_to_one), s.from_identity());
    CHECK(s.read().get().view()(0) == 0);
  });
}

TEST_CASE("arrays are reduced into, several by one launch, and read by the next") {
  test::on_nodes_with_devices([] {
    constexpr long long n = 300;
    buffer<long long> x(box(0, n)), least(box(0, 1)), most(box(0, 1));
    buffer<int, 2> h(box({0, 0}, {3, 5}));
    launch(count_up, x.elements(), x(one_to_one));
    launch(histogram, x.elements(), x(one_to_one), h.from_identity());
    launch(in_pieces{2}, histogram, x.elements(), x(one_to_one), h);
    launch(spread_of, box(1, n), x(one_to_one), least.from_identity(), most.from_identity());
    const auto seen = h.read().get();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) CHECK(seen.view()(i, j) == 2 * n / 15);
    CHECK(least.read().get().view()(0) == 0);
    CHECK(most.read().get().view()(0) == 100);
  });
}

TEST_CASE("a sum of numbers that are rounded is the same on every node, to the last bit") {
  for (const std::uint32_t nodes : {3u, 4u, 7u}) {
    std::vector<float> sums(nodes);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1}, [&](runtime&) {
      buffer<long long> x(box(0, 5000));
      buffer<float> s(box(0, 1));
      launch(count_up, x.elements(), x(one_to_one));
      launch(tenth, x.elements(), x(one_to_one), s.from_identity());
      sums[this_node()] = s.read().get().view()(0);
    });
    CHECK(std::abs(sums[0] - 0.1f * 5000 * 4999 / 2) < 100);
    for (const float s : sums) CHECK(std::memcmp(&s, &sums[0], sizeof s) == 0);
  }
}

// Custom operators: the minimum with its index, and the three largest values.
STRETTO_DEVICE_STRUCT(least_at, {
  long value;
  long at;
})
STRETTO_DEVICE_FUNCTION(least_at, lesser, (least_at a, least_at b),
                        { return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a; })
STRETTO_DEVICE_OPERATOR(least_with_place, least_at, lesser, {9223372036854775807, 9223372036854775807})
STRETTO_DEVICE_STRUCT(greatest, { int is[3]; })
STRETTO_DEVICE_FUNCTION(greatest, greatest_of, (greatest a, greatest b), {
  greatest most;
  for (int n = 0, i = 0, j = 0; n < 3; ++n) most.is[n] = a.is[i] >= b.is[j] ? a.is[i++] : b.is[j++];
  return most;
})
STRETTO_DEVICE_OPERATOR(three_greatest, greatest, greatest_of, {{-1, -1, -1}})
STRETTO_KERNEL(survey, (in<long long> x, int seed, reduce<least_with_place> least, reduce<three_greatest> by_remainder),
               {
                 long i = global_id(0), v = (x(i) * 7919 + seed) % 1009;
                 least_at l = {v, i};
                 least(0) << l;
                 greatest g = {{(int)(v), -1, -1}};
                 by_remainder(v % 4) << g;
               })

TEST_CASE("kernels reduce by operators of the program's own, as host tasks do, on any devices of any nodes") {
  test::on_nodes_with_devices([] {
    constexpr long long n = 2000;
    buffer<long long> x(box(0, n));
    buffer<least_at> least(box(0, 1)), least_of_hosts(box(0, 1));
    buffer<greatest> most(box(0, 4));
    launch(count_up, x.elements(), x(one_to_one));
    least_at expected = least_with_place::identity();
    std::array<greatest, 4> expected_most;
    expected_most.fill(three_greatest::identity());
    for (int seed = 0; seed < 3; ++seed) {
      for (long long i = 0; i < n; ++i) {
        const long v = (i * 7919 + seed) % 1009;
        least_with_place::fold(expected, {v, i});
        three_greatest::fold(expected_most[static_cast<std::size_t>(v % 4)], {{static_cast<int>(v), -1, -1}});
      }
      if (seed == 0) launch(survey, x.elements(), x(one_to_one), seed, least.from_identity(), most.from_identity());
      else launch(in_pieces{2}, survey, x.elements(), x(one_to_one), seed, least, most);
    }
    host_task(
        x.elements(),
        [](const box& part, view<const long long> x, view<least_at> to) {
          for (auto i = part.min()[0]; i < part.max()[0]; ++i)
            for (int seed = 0; seed < 3; ++seed) least_with_place::fold(to(0), {(x(i) * 7919 + seed) % 1009, i});
        },
        x.in(one_to_one), least_of_hosts.reduce<least_with_place>().from_identity());
    for (const auto& b : {least, least_of_hosts}) {
      const auto seen = b.read().get();
      CHECK(seen.view()(0).value == expected.value);
      CHECK(seen.view()(0).at == expected.at);
    }
    const auto seen = most.read().get();
    for (int k = 0; k < 4; ++k)
      for (int m = 0; m < 3; ++m) CHECK(seen.view()(k).is[m] == expected_most[static_cast<std::size_t>(k)].is[m]);
  });
}

/// Matrix products do not commute, so they show the order of folds.
struct matrix {
  std::array<std::uint32_t, 4> a;
  friend bool operator==(const matrix&, const matrix&) = default;
};
struct times {
  using lhs_type = matrix;
  using rhs_type = matrix;
  static matrix identity() { return {{1, 0, 0, 1}}; }
  static void fold(matrix& l, const matrix& r) {
    l = {{l.a[0] * r.a[0] + l.a[1] * r.a[2], l.a[0] * r.a[1] + l.a[1] * r.a[3], l.a[2] * r.a[0] + l.a[3] * r.a[2],
          l.a[2] * r.a[1] + l.a[3] * r.a[3]}};
  }
  static void apply(matrix& l, const matrix& r) { fold(l, r); }
  static constexpr bool is_commutative = false;
};
matrix factor(std::uint32_t i) { return {{i * 3 + 1, i ^ 5, i + 7, i * i + 2}}; }

TEST_CASE("host tasks reduce by an operator of the program's own, in the order of their chunks") {
  test::on_nodes_with_devices([] {
    constexpr std::uint32_t n = 100;
    matrix expected = times::identity();
    for (std::uint32_t i = 0; i < n; ++i) times::fold(expected, factor(i));
    buffer<matrix> product(box(0, 1), {.name = "product"});
    const auto multiply = [](const box& part, view<matrix> p) {
      CHECK(p(0) == times::identity());
      for (auto i = part.min()[0]; i < part.max()[0]; ++i) times::fold(p(0), factor(static_cast<std::uint32_t>(i)));
    };
    host_task(box(0, n), multiply, product.reduce<times>().from_identity());
    CHECK(product.read().get().view()(0) == expected);
    times::fold(expected, factor(n));
    host_task(in_pieces{3}, box(n, n + 1), multiply, product.reduce<times>());
    CHECK(product.read().get().view()(0) == expected);
  });
}

TEST_CASE("a failed contribution of one node poisons the result on all nodes, and no other buffer") {
  for (const std::uint32_t nodes : {1u, 3u, 4u})
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = 1}), {.workers = 1}, [](runtime&) {
      buffer<double> s(box(0, 1)), other(box(0, 1));
      host_task(
          box(0, 8),
          [](const box& part, view<double> s) {
            if (part.contains(point(7))) throw std::runtime_error("no such file");
            s(0) = 1;
          },
          s.reduce<sum<double>>().from_identity());
      host_task(
          box(0, 8), [](const box& part, view<double> s) { s(0) += static_cast<double>(part.volume()); },
          other.reduce<sum<double>>().from_identity());
      CHECK(test::thrown_by([&] { (void)s.read().get(); }).find("no such file") != std::string::npos);
      CHECK(other.read().get().view()(0) == 8);
    });
}

TEST_CASE("a buffer that a launch reduces into and uses otherwise, too, is refused by name") {
  runtime rt({.workers = 1});
  rt.run([] {
    buffer<long long> x(box(0, 10), {.name = "x"});
    launch(count_up, x.elements(), x(one_to_one));
    const std::string words = test::thrown_by([&] { launch(dot, x.elements(), x(one_to_one), x(one_to_one), x); });
    CHECK(words.find("error B06") != words.npos);
    CHECK(words.find("buffer B0 \"x\"") != words.npos);
    CHECK(words.find("reduction_test.cpp") != words.npos);
    CHECK(x.read().get().view()(9) == 9);
  });
}

}  // namespace
}  // namespace stretto
