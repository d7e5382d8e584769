#include <stretto/copy.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "data/data_runtime.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

using namespace stretto;
using namespace stretto::data;

namespace {

/// An operator that appends a value to digits: neither commutative nor of one type.
struct append_digits {
  struct lhs_type {
    std::uint64_t digits;
  };
  struct rhs_type {
    std::uint64_t digits, power;
  };
  static rhs_type identity() { return {0, 1}; }
  static void apply(lhs_type& l, const rhs_type& r) { l.digits = l.digits * r.power + r.digits; }
  static void fold(rhs_type& l, const rhs_type& r) { l = {l.digits * r.power + r.digits, l.power * r.power}; }
  static constexpr bool is_commutative = false;
};

constexpr reduction_style all_styles[] = {reduction_style::automatic, reduction_style::fold,
                                          reduction_style::shared_fold, reduction_style::list};

template <class T>
std::vector<T> values_of(const instance<T>& u) {
  auto v = u.view();
  std::vector<T> out;
  for (auto i = v.min(0); i < v.max(0); ++i) out.push_back(v(i));
  return out;
}

}  // namespace

STRETTO_KERNEL(contributes_everywhere, (in<int> x, reduce<sum<long>, 2> count, reduce<maximum<int>> most), {
  int v = x(global_id(0));
  count(v % 4, v % 3) << 1l;
  most(5) << v;
})

TEST_CASE("kernels contribute to reductions of any style, together with others, and again after clear") {
  for (const char* checked : {"0", "1"})
    for (const reduction_style style : all_styles) {
      CAPTURE(int(style));
      const test::with_variable check("STRETTO_CHECK", checked);
      runtime rt({.workers = 2});
      rt.run([&] {
        const place ram = rt.machine().memories().front();
        constexpr coordinate n = 20'000;  // several pieces
        const auto x = instance<int>::create(at(ram), {0, n}).made;
        for (coordinate i = 0; i < n; ++i) x.view()(i) = static_cast<int>(i * i % 777);
        const auto count = reduction_instance<sum<long>, 2>::create(at(ram), {{0, 0}, {4, 3}}, {.style = style});
        const auto most = reduction_instance<maximum<int>>::create(at(ram), {5, 6}, {.style = style});
        const auto counted = instance<long, 2>::create(at(ram), {{0, 0}, {4, 3}}).made;
        const auto found = instance<int>::create(at(ram), {5, 6}).made;
        for (int round = 0; round < 2; ++round) {
          wait(fill(counted, 100l)), wait(fill(found, -1));
          const event all = launch(contributes_everywhere, box(0, n), x, count, most);
          {
            auto c = count.contribute();
            c(3, 2) << 1000l;
          }
          wait(reduce(count, counted, after(all))), wait(reduce(most, found, after(all)));
          long sums = 0;
          for (coordinate i = 0; i < 4; ++i)
            for (coordinate j = 0; j < 3; ++j) {
              long expected = 100 + (i == 3 && j == 2 ? 1000 : 0);
              for (coordinate k = 0; k < n; ++k) expected += k * k % 777 % 4 == i && k * k % 777 % 3 == j;
              CHECK(counted.view()(i, j) == expected);
              sums += counted.view()(i, j);
            }
          CHECK(sums == n + 1200 + 1000);
          CHECK(found.view()(5) == 774);
          wait(clear(count)), wait(clear(most));
        }
        x.destroy(), count.destroy(), most.destroy(), counted.destroy(), found.destroy();
      });
    }
}

TEST_CASE("a device does not contribute to a reduction that lies in the host's memory") {
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    const place ram = rt.machine().memories().front(), far = rt.machine().memories().back();
    const auto x = instance<int>::create(at(far), {0, 10}).made;
    const auto count = reduction_instance<sum<long>, 2>::create(at(ram), {{0, 0}, {4, 3}});
    const auto most = reduction_instance<maximum<int>>::create(at(ram), {5, 6});
    CHECK(test::error_of([&] { launch(contributes_everywhere, box(0, 10), x, count, most); }).code() == "K28");
    x.destroy(), count.destroy(), most.destroy();
  });
}

TEST_CASE("operators of the library have an identity that changes nothing and combine as their names say") {
  const auto combined = []<class Op>(Op, auto a, auto b) {
    auto l = static_cast<typename Op::lhs_type>(a);
    Op::apply(l, Op::identity());
    CHECK(l == static_cast<typename Op::lhs_type>(a));
    Op::apply(l, static_cast<typename Op::rhs_type>(b));
    return l;
  };
  CHECK(combined(sum<int>(), 5, -7) == -2);
  CHECK(combined(product<double>(), 1.5, 4) == 6.0);
  CHECK(combined(minimum<float>(), 2, -3) == -3);
  CHECK(combined(minimum<unsigned>(), 2, 3) == 2u);
  CHECK(combined(maximum<int>(), -9, -3) == -3);
  CHECK(combined(maximum<double>(), -9, -30) == -9);
  CHECK(combined(bit_and<std::uint8_t>(), 0b1100, 0b0110) == 0b0100);
  CHECK(combined(bit_or<int>(), 0b1100, 0b0110) == 0b1110);
  CHECK(combined(bit_xor<std::uint64_t>(), 0b1100, 0b0110) == 0b1010u);
}

TEST_CASE("contributions of every style, by many tasks, add up as a plain loop does") {
  for (const reduction_style style : all_styles)
    for (const int elements : {1, 100, 20000}) {
      CAPTURE(static_cast<int>(style));
      CAPTURE(elements);
      with_data(
          [&] {
            constexpr int tasks = 16, each = 6000;
            const auto total = instance<std::int64_t>::create(at(ram), {0, elements}).made;
            wait(fill(total, 1));
            const auto r = reduction_instance<sum<std::int64_t>>::create(at(ram), {0, elements}, {.style = style});
            finish([&] {
              for (int t = 0; t < tasks; ++t)
                async([&, t] {
                  auto c = r.contribute();
                  for (int i = 0; i < each; ++i) c((t * 7919 + i * 31) % elements) << t + i;
                });
            });
            std::vector<std::int64_t> expected(static_cast<std::size_t>(elements), 1);
            for (int t = 0; t < tasks; ++t)
              for (int i = 0; i < each; ++i)
                expected[static_cast<std::size_t>((t * 7919 + i * 31) % elements)] += t + i;
            wait(reduce(r, total));
            CHECK(values_of(total) == expected);
            wait(clear(r));
            wait(reduce(r, total));
            CHECK(values_of(total) == expected);
            r.destroy();
            total.destroy();
            CHECK(usage_of(ram).used == 0);
          },
          {.part_bytes = 8 << 10});
    }
}

TEST_CASE("a reduction is folded into another while tasks contribute to the latter") {
  for (const reduction_style style : all_styles)
    with_data([&] {
      constexpr int elements = 50, tasks = 8, each = 20000;
      const auto from = reduction_instance<sum<std::int64_t>>::create(at(ram), {0, elements}, {.style = style});
      const auto to = reduction_instance<sum<std::int64_t>>::create(at(ram), {0, elements}, {.style = style});
      {
        auto c = from.contribute();
        for (int i = 0; i < elements; ++i) c(i) << 1;
      }
      finish([&] {
        for (int t = 0; t < tasks; ++t) {
          async([&] {
            auto c = to.contribute();
            for (int i = 0; i < each; ++i) c(i % elements) << 1;
          });
          fold_into(from, to);
        }
      });
      const auto total = instance<std::int64_t>::create(at(ram), {0, elements}).made;
      wait(fill(total, 0));
      wait(reduce(to, total));
      CHECK(values_of(total) == std::vector<std::int64_t>(elements, tasks * (each / elements + 1)));
      from.destroy(), to.destroy(), total.destroy();
    });
}

TEST_CASE("a reduction can be submitted while its contributors are at work") {
  with_data([] {
    const auto total = instance<int>::create(at(ram), {0, 50000}).made;
    const event zero = fill(total, 0);
    const auto r = reduction_instance<sum<int>>::create(at(ram), {0, 50000});
    std::vector<event> contributed{zero};
    for (int t = 0; t < 8; ++t) {
      contributed.push_back(async([r] {
        auto c = r.contribute();
        for (int i = 0; i < 50000; ++i) c(i) << 1;
      }));
      const event applied = reduce(r, total, after(std::span<const event>(contributed)));
      contributed.push_back(applied);
      const event emptied = clear(r, after(applied));
      contributed.push_back(emptied);
      wait(emptied);
    }
    CHECK(total.view()(0) == 8);
    CHECK(total.view()(49999) == 8);
  });
}

TEST_CASE("an operator that does not commute sees contributors by number, whatever the order of their tasks") {
  for (const reduction_style style : {reduction_style::automatic, reduction_style::fold, reduction_style::list})
    with_data([&] {
      using reduction = reduction_instance<append_digits>;
      const auto r = reduction::create(at(ram), {0, 3}, {.style = style});
      finish([&] {
        for (std::uint32_t t = 6; t-- > 0;)
          async([&, t] {
            auto c = r.contribute(t);
            c(1) << append_digits::rhs_type{t + 1, 10};
            c(2) << append_digits::rhs_type{t + 1, 10};
            c(2) << append_digits::rhs_type{0, 10};
          });
      });
      const auto total = instance<append_digits::lhs_type>::create(at(ram), {0, 3}).made;
      fill(total, {9});
      wait(reduce(r, total));
      CHECK(total.view()(0).digits == 9);
      CHECK(total.view()(1).digits == 9123456);
      CHECK(total.view()(2).digits == 9102030405060);
      CHECK(without_lines(thrown_by([&] { r.contribute(); })) ==
            "error D17: instance I0 requires a contributor number\n"
            "  submitted   reduction_test.cpp:\n"
            "  because     its operator does not commute, so the order of contributors matters\n"
            "  try         pass the position of this contributor in the order as its number");
    });
  with_data([&] {
    CHECK(without_lines(thrown_by([&] {
            reduction_instance<append_digits>::create(at(ram), {0, 3}, {.style = reduction_style::shared_fold});
          })) ==
          "error D05: a shared fold requires a commutative operator\n"
          "  submitted   reduction_test.cpp:\n"
          "  because     contributions to a shared array are combined in the order in which they happen to arrive\n"
          "  try         use reduction_style::fold, list or automatic");
  });
}

TEST_CASE("reductions fold into one another, and a tree gives what its leaves hold, in order") {
  for (const reduction_style leaf : {reduction_style::automatic, reduction_style::fold, reduction_style::list})
    for (const reduction_style root : {reduction_style::automatic, reduction_style::fold, reduction_style::list})
      with_data(
          [&] {
            using reduction = reduction_instance<append_digits>;
            const auto top = reduction::create(at(ram), {0, 4}, {.style = root});
            std::vector<event> folded;
            for (std::uint32_t l = 0; l < 3; ++l) {
              const auto r = reduction::create(at(other), {0, 4}, {.style = leaf});
              for (std::uint32_t n = 0; n < 2; ++n) r.contribute(n)(2) << append_digits::rhs_type{2 * l + n + 1, 10};
              folded.push_back(fold_into(r, top, l));
              r.destroy(after(folded.back()));
            }
            const auto total = instance<append_digits::lhs_type>::create(at(ram), {0, 4}).made;
            wait(fill(total, {0}));
            wait(reduce(top, total, after(std::span<const event>(folded))));
            CHECK(total.view()(2).digits == 123456);
            CHECK(total.view()(3).digits == 0);
          },
          {.inline_bytes = 16});
}

TEST_CASE("a reduction over a part of a strided instance touches that part only") {
  CHECK(rc::check([] {
    const auto style = *rc::gen::elementOf(std::vector<reduction_style>(std::begin(all_styles), std::end(all_styles)));
    const auto order = *rc::gen::element(axis_order::c, axis_order::fortran);
    const auto points = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(2, 9), rc::gen::inRange(-3, 4)));
    std::vector<int> expected(12 * 12, 100), seen;
    for (const auto& [i, j] : points) expected[static_cast<std::size_t>(i * 12 + j + 5)] += i * j;
    with_data(
        [&] {
          const auto total = instance<int, 2>::create(at(ram), box({0, -5}, {12, 7}), {.order = order}).made;
          wait(fill(total, 100));
          const auto r = reduction_instance<sum<int>, 2>::create(at(ram), box({2, -3}, {9, 4}), {.style = style});
          {
            auto c = r.contribute();
            for (const auto& [i, j] : points) c(i, j) << i * j;
          }
          wait(reduce(r, total));
          auto v = total.view();
          for (int i = 0; i < 12; ++i)
            for (int j = -5; j < 7; ++j) seen.push_back(v(i, j));
        },
        {.workers = 1, .inline_bytes = 8, .part_bytes = 16});
    RC_ASSERT(seen == expected);
  }));
}

TEST_CASE("values of an instance reduce into another by any operator, in parts") {
  with_data(
      [] {
        const auto a = instance<float, 2>::create(at(ram), box({0, 0}, {100, 100})).made;
        const auto b =
            instance<float, 2>::create(at(ram), box({0, 0}, {100, 100}), {.order = axis_order::fortran}).made;
        for (int i = 0; i < 100; ++i)
          for (int j = 0; j < 100; ++j) a.view()(i, j) = static_cast<float>(i), b.view()(i, j) = static_cast<float>(j);
        wait(reduce<maximum<float>>(a, b));
        bool right = true;
        for (int i = 0; i < 100; ++i)
          for (int j = 0; j < 100; ++j) right = right && b.view()(i, j) == static_cast<float>(std::max(i, j));
        CHECK(right);
        wait(reduce<sum<float>>(a, b, box({3, 3}, {4, 4})));
        CHECK(b.view()(3, 3) == 6);
        CHECK(b.view()(3, 4) == 4);
      },
      {.inline_bytes = 1024, .part_bytes = 1024});
}

TEST_CASE("a contributor's number is used by one task at a time") {
  with_data([] {
    const auto r = reduction_instance<sum<int>>::create(at(ram), {0, 10}, {.name = "votes"});
    {
      auto c = r.contribute(3);
      CHECK(without_lines(thrown_by([&] { r.contribute(3); })) ==
            "error D17: contributor 3 of instance \"votes\" is held by another task\n"
            "  submitted   reduction_test.cpp:\n"
            "  try         give each task a number of its own, or order the tasks by events");
      auto free_one = r.contribute();
      c(0) << 1;
      free_one(0) << 1;
    }
    auto again = r.contribute(3);
    again(0) << 1;
    const auto total = instance<int>::create(at(ram), {0, 10}).made;
    fill(total, 0);
  });
}

TEST_CASE("contributions that a memory cannot hold fail the task that makes them") {
  with_data(
      [] {
        const auto r = reduction_instance<sum<double>>::create(at(ram), {0, 1000000}, {.style = reduction_style::list});
        auto task = async([r] {
          auto c = r.contribute();
          for (int i = 0;; ++i) c(i % 1000000) << 1.0;
        });
        CHECK(thrown_by([&] { task.get(); })
                  .find("error D16: memory \"ram\" has no space for more contributions to a reduction\n"
                        "  box         [0,1000000)\n"
                        "  needed      16 bytes\n"
                        "  free        0 bytes") != std::string::npos);
        const event gone = r.destroy();
        wait(gone);
        CHECK(usage_of(ram).used == 0);
      },
      {.ram_bytes = 1 << 20});
}

TEST_CASE("values that the processor cannot exchange at once are folded under a lock") {
  struct add3 {
    struct rhs_type {
      std::int64_t a, b, c;
    };
    using lhs_type = rhs_type;
    static rhs_type identity() { return {0, 0, 0}; }
    static void apply(lhs_type& l, const rhs_type& r) { l = {l.a + r.a, l.b + r.b, l.c + r.c}; }
    static void fold(rhs_type& l, const rhs_type& r) { apply(l, r); }
  };
  with_data([] {
    const auto r = reduction_instance<add3>::create(at(ram), {0, 2}, {.style = reduction_style::shared_fold});
    finish([&] {
      for (int t = 0; t < 8; ++t)
        async([&] {
          auto c = r.contribute();
          for (int i = 0; i < 2000; ++i) c(i % 2) << add3::rhs_type{1, 2, 3};
        });
    });
    const auto total = instance<add3::lhs_type>::create(at(ram), {0, 2}).made;
    fill(total, {0, 0, 0});
    wait(reduce(r, total));
    CHECK(total.view()(1).a == 8000);
    CHECK(total.view()(0).c == 24000);
  });
}

TEST_CASE("reductions outside their target, of other boxes and of destroyed instances are refused") {
  with_data([] {
    const auto r = reduction_instance<sum<int>>::create(at(ram), {0, 20}, {.name = "r"});
    const auto s = reduction_instance<sum<int>>::create(at(ram), {0, 10}, {.name = "s"});
    const auto small = instance<int>::create(at(ram), {0, 10}, {.name = "small"}).made;
    CHECK(without_lines(thrown_by([&] { reduce(r, small); })) ==
          "error D06: reduce uses elements outside of instance \"small\"\n"
          "  submitted   reduction_test.cpp:\n"
          "  box         [0,20)\n"
          "  instance    [0,10)");
    CHECK(without_lines(thrown_by([&] { fold_into(r, s); })) ==
          "error D06: fold_into of reductions whose boxes differ\n"
          "  submitted   reduction_test.cpp:\n"
          "  from        instance \"r\", [0,20)\n"
          "  to          instance \"s\", [0,10)");
    CHECK(without_lines(thrown_by([&] { fold_into(r, r); })) ==
          "error D11: fold_into reads and writes the same reduction, instance \"r\"\n"
          "  submitted   reduction_test.cpp:");
    r.destroy();
    CHECK(thrown_by([&] { r.contribute(); }).find("error D01: instance \"r\" was destroyed before this contribute") ==
          0);
  });
}

TEST_CASE(
    "reductions into one instance that nothing orders lose nothing, small or in parts, of arrays, logs and folds") {
  for (const std::uint64_t inline_bytes : {std::uint64_t{0}, std::uint64_t{1} << 20})
    with_data(
        [] {
          constexpr int tasks = 4, times = 200, n = 64;
          const auto to = instance<int, 2>::create(at(ram), box({0, 0}, {n, n})).made;
          const auto ones = instance<int, 2>::create(at(ram), box({0, 0}, {n, n}), {.order = axis_order::fortran}).made;
          wait(merge(fill(to, 0), fill(ones, 1)));
          std::vector<reduction_instance<sum<int>, 2>> held;
          for (const auto style : {reduction_style::list, reduction_style::fold}) {
            held.push_back(reduction_instance<sum<int>, 2>::create(at(ram), box({0, 0}, {n, n}), {.style = style}));
            auto c = held.back().contribute();
            for (int i = 0; i < n; ++i) c(i, i) << 1;
          }
          finish([&] {
            for (int t = 0; t < tasks; ++t)
              async([&, t] {
                for (int i = 0; i < times; ++i)
                  if (i % 8 < 6)
                    wait(i % 2 ? reduce<sum<int>>(ones, to) : reduce<sum<int>>(ones, to, box({t, 0}, {t + n / 2, n})));
                  else wait(reduce(held[static_cast<std::size_t>(i % 2)], to));
              });
          });
          int wrong = 0;
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              int expected = 0;
              for (int t = 0; t < tasks; ++t)
                expected += 3 * times / 8 + (i >= t && i < t + n / 2 ? 3 * times / 8 : 0) + (i == j ? times / 4 : 0);
              wrong += to.view()(i, j) != expected;
            }
          CHECK(wrong == 0);
        },
        {.workers = 4, .inline_bytes = inline_bytes, .part_bytes = 4096});
}
