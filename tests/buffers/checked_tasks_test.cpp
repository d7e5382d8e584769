// STRETTO_CHECK=1: reads and writes of host tasks outside of what their mappers name.
#include <stretto/buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(count_up, (out<int> u), { u(global_id(0)) = global_id(0); })
STRETTO_KERNEL(count_across, (out<double, 2> u), { u(global_id(0), global_id(1)) = global_id(0) * 100 + global_id(1); })

template <class Body>
void with_checks(Body&& body, const char* check = "1") {
  const with_variable checks("STRETTO_CHECK", check);
  for (const char* kind : {"none", "sim:2"}) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] { body(); });
  }
}

const std::string nothing = "nothing was thrown";  // the text of thrown_by

bool tells(const std::string& text, const std::string& what) { return text.find(what) != text.npos; }

/// The chunk is [10, 20) of 40 elements; `f` is a host task that uses them.
template <class F, class Use, class Result>
std::string told_of(F f, const Use& used, const Result& made) {
  return test::thrown_by([&] { wait(host_task(name("look"), box(10, 20), f, used, made)); });
}

}  // namespace

TEST_CASE("a write of a host task outside of its chunk is refused with the element, and the buffer is unchanged") {
  with_checks([] {
    const box whole(0, 40);
    for (const coordinate where : {2, 9, 10, 19, 20, 27}) {
      CAPTURE(where);
      buffer<int> u(whole, {.name = "u"}), v(whole, {.name = "v"});
      launch(count_up, whole, u(one_to_one));
      launch(count_up, whole, v(one_to_one));
      const auto by_view = [where](view<const int> u, view<int> v) { v(where) = u(12) + 1000; };
      const auto by_row = [where](view<const int> u, view<int> v) { (&v.row()[0] - v.min(0))[where] = u(12) + 1000; };
      const auto by_bytes = [where](view<const int> u, view<int> v) {
        const int n = u(12) + 1000;
        std::memcpy(reinterpret_cast<char*>(&v(10)) + (where - 10) * static_cast<coordinate>(sizeof n), &n, sizeof n);
      };
      const bool is_within = where >= 10 && where < 20;
      for (const std::string& text : {told_of(by_view, u.in(one_to_one), v.inout(one_to_one)),
                                      told_of(by_row, u.in(one_to_one), v.inout(one_to_one)),
                                      told_of(by_bytes, u.in(one_to_one), v.inout(one_to_one))}) {
        INFO(text);
        CHECK((text == nothing) == is_within);
        if (is_within) continue;
        CHECK(tells(text, "error B25: host task \"look\" writes an element of buffer B"));
        CHECK(tells(text, "\"v\" that its mapper does not name"));
        CHECK(tells(text, "(" + std::to_string(where) + ")"));
        CHECK(tells(text, "[10,20) by one_to_one"));
        CHECK(tells(text, "checked_tasks_test.cpp:"));
      }
    }
  });
}

TEST_CASE("writes of a refused host task do not reach the buffer, inside or outside of its chunk") {
  with_checks([] {
    const box whole(0, 40);
    buffer<int> u(whole), v(whole);
    launch(count_up, whole, u(one_to_one));
    const auto wrong = host_task(box(10, 20), [](view<int> u) { u(10) = u(9) = 1; }, u.inout(one_to_one));
    CHECK(tells(test::thrown_by([&] { wait(wrong); }), "error B25"));
    const auto right = host_task(
        box(0, 10),
        [](view<const int>, view<int> v) {
          for (int i = 0; i < 10; ++i) v(i) = i;
        },
        u.in(fixed(box(20, 40))), v.out(one_to_one));
    wait(right);
    const auto seen = v.read(box(0, 10)).get();
    for (int i = 0; i < 10; ++i) CHECK(seen.view()(i) == i);
  });
}

TEST_CASE(
    "a view that looks at each coordinate finds reads before they are done, of any element, gaps and corners too") {
  with_checks([] {
    const box whole({0, 0}, {16, 16});
    for (int di = -2; di <= 2; ++di)
      for (int dj = -2; dj <= 2; ++dj) {
        CAPTURE(di);
        CAPTURE(dj);
        const auto looked = [&](const auto& by) {
          buffer<double, 2> u(whole, {.name = "u"});
          launch(count_across, whole, u(one_to_one));
          double found = 0;
          const std::string text = test::thrown_by([&] {
            wait(host_task(box({8, 8}, {9, 9}), [&, di, dj](auto u) { found = u(8 + di, 8 + dj); }, u.in(by)));
          });
          if (text == nothing) CHECK(found == (8 + di) * 100 + 8 + dj);
          else CHECK(tells(text, "error B25: host task \"host task\" reads an element of buffer"));
          return text != nothing;
        };
        const bool is_within = di * di <= 1 && dj * dj <= 1;
        CHECK(looked(star(1)) == !(is_within && di * dj == 0));
        CHECK(looked(neighborhood(1)) == !is_within);
        CHECK(looked(one_to_one) == (di != 0 || dj != 0));
      }
  });
}

TEST_CASE("a result of a floating-point element that a host task may not read is detected, with the element") {
  with_checks([] {
    const box whole(0, 40);
    for (const coordinate where : {2, 9, 15, 20, 27}) {
      CAPTURE(where);
      const auto looked = [&](auto of, auto into) {
        using from = decltype(of);
        using to = decltype(into);
        buffer<from> u(whole, [](coordinate i) { return static_cast<from>(i); }, {.name = "u"});
        buffer<to> v(whole, {.name = "v"});
        const std::string text = told_of(
            [where](view<const from> u, view<to> v) {
              for (coordinate i = 10; i < 20; ++i)
                v(i) = static_cast<to>(0.25 * u(i) - static_cast<from>(3) * u(i == 15 ? where : i));
            },
            u.in(one_to_one), v.out(one_to_one));
        INFO(text);
        CHECK((text == nothing) == (where == 15));
        if (where == 15) return;
        CHECK(tells(text, "error B25: host task \"look\" reads an element of buffer"));
        CHECK(tells(text, "\"u\" that its mapper does not name"));
        CHECK(tells(text, "(" + std::to_string(where) + ")"));
      };
      looked(1.0, 1.0);
      looked(1.0f, 1.0f);
      looked(1.0f, 1.0);
      looked(1.0, 1.0f);
    }
  });
}

TEST_CASE("arguments of one buffer see each other's elements, and NaNs of the program are not taken for marks") {
  with_checks([] {
    const box whole(0, 40);
    buffer<double> u(whole, [](coordinate i) { return i == 12 ? 0.0 / (i - 12.0) : static_cast<double>(i); });
    wait(host_task(
        on_one_node,
        [](view<const double> from, view<double> to) {
          to(3) = 7;
          to(4) = from(3) + from(30);
          to(5) = from(12);
        },
        u.in(all), u.inout(fixed(box(0, 10)))));
    const auto seen = u.read().get();
    CHECK(seen.view()(4) == 37);
    CHECK(seen.view()(5) != seen.view()(5));
  });
}

TEST_CASE("without checks a host task gets the elements where they are, whatever its parameters say") {
  with_checks(
      [] {
        buffer<int> u(box(0, 4), [](coordinate i) { return static_cast<int>(i); });
        wait(host_task(
            on_one_node,
            [](auto u) {
              static_assert(std::is_same_v<decltype(u), view<int>> ||
                            std::is_same_v<decltype(u), view<int, 1, bounds::checked>>);
              u(1) = 5;
            },
            u.inout(all)));
        CHECK(u.read().get().view()(1) == 5);
      },
      "0");
}

STRETTO_KERNEL(count_odd_ones, (out<int> u), {
  if (global_id(0) % 2) u(global_id(0)) = global_id(0);
})
STRETTO_KERNEL(add_neighbours, (in<int> u, out<int> v),
               { v(global_id(0)) = global_id(0) > 0 ? u(global_id(0) - 1) + u(global_id(0)) : 0; })

TEST_CASE("out elements that a kernel did not write are reported by readers: kernels, host tasks, the program") {
  with_checks([] {
    const box whole(0, 40);
    const auto left = [&] {
      buffer<int> u(whole, {.name = "u"});
      launch(count_odd_ones, whole, u(one_to_one));
      return u;
    };
    const buffer<int> u = left(), v(whole), w(whole);
    CHECK(tells(test::thrown_by([&] { u.read(box(21, 30)).get().view(); }), "element     (22)"));
    CHECK(u.read(box(21, 22)).get().view()(21) == 21);
    launch(count_up, whole, u(one_to_one));
    CHECK(u.read().get().view()(38) == 38);
    const buffer<int> of_kernel = left(), of_task = left();
    const std::string by_kernel =
        test::thrown_by([&] { wait(launch(add_neighbours, box(1, 2), of_kernel(neighborhood(1)), v(one_to_one))); });
    CHECK(tells(by_kernel, "error K07: kernel \"add_neighbours\" reads u(0)"));
    CHECK(tells(by_kernel, "left by     kernel \"count_odd_ones\""));
    const std::string by_task = told_of([](view<const int>, view<int>) {}, of_task.in(one_to_one), w.out(one_to_one));
    CHECK(tells(by_task, "error K07: the program reads an element of buffer B"));
    CHECK(tells(by_task, "element     (10)"));
  });
}

TEST_CASE("host tasks that name what they use are not accused, on any nodes and devices") {
  const with_variable check("STRETTO_CHECK", "1");
  test::on_nodes_with_devices([] {
    const box whole({0, 0}, {16, 16});
    buffer<double, 2> u(whole, [](coordinate i, coordinate j) { return static_cast<double>(i * 16 + j); }), v(whole);
    buffer<double> total(box(0, 1));
    host_task(
        in_pieces{3}, whole,
        [](const box& part, auto u, auto v) {
          for (auto i = part.min()[0]; i < part.max()[0]; ++i)
            for (auto j = part.min()[1]; j < part.max()[1]; ++j)
              v(i, j) = u(i, j) + (i > 0 ? u(i - 1, j) : 0) + (j < 15 ? u(i, j + 1) : 0);
        },
        u.in(star(1)), v.out(one_to_one));
    host_task(
        whole,
        [](const box& part, view<const double, 2> v, auto total) {
          for (auto i = part.min()[0]; i < part.max()[0]; ++i)
            for (const double x : v.row(i).subspan(static_cast<std::size_t>(part.min()[1] - v.min(1)),
                                                   static_cast<std::size_t>(part.length(1))))
              total(0) += x;
        },
        v.in(one_to_one), total.reduce<sum<double>>().from_identity());
    host_task(
        collective{},
        [](collective_part me, view<double, 2> v) {
          if (me.node == 0) v(0, 0) += 1;
        },
        v.inout(even_split));
    double expected = 0;
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j)
        expected += i * 16 + j + (i > 0 ? (i - 1) * 16 + j : 0) + (j < 15 ? i * 16 + j + 1 : 0);
    CHECK(total.read().get().view()(0) == expected);
    CHECK(v.read().get().view()(0, 0) == 2);
  });
}

TEST_CASE("a view of a read reports elements outside of it in checked programs, and is a plain view otherwise") {
  with_checks([] {
    const box whole({0, 0}, {20, 9}), part({3, 2}, {7, 5});
    const buffer<double, 2> u(whole, {.name = "u"});
    launch(count_across, whole, u(one_to_one));
    const auto seen = u.read(part).get();
    const auto v = seen.view();
    for (coordinate i = 0; i < 20; ++i)
      for (coordinate j = 0; j < 9; ++j) {
        const bool was_read = i >= 3 && i < 7 && j >= 2 && j < 5;
        const std::string told = test::thrown_by([&] { CHECK(v(i, j) == static_cast<double>(i * 100 + j)); });
        CHECK((told == nothing) == was_read);
        if (was_read) continue;
        CHECK(tells(told, "error B27: an element of buffer B"));
        CHECK(tells(told, "\"u\" is accessed that was not read"));
        CHECK(tells(told, "(" + std::to_string(i) + ", " + std::to_string(j) + ")"));
        CHECK(tells(told, part.text()));
        CHECK(tells(told, "checked_tasks_test.cpp:"));
      }
    const view<const double, 2> plain = v;
    CHECK(plain(3, 2) == 302.0);
    CHECK(v.row(3)[static_cast<std::size_t>(2 - v.min(1))] == 302.0);
  });
  with_checks(
      [] {
        const buffer<int> u(box(0, 40));
        launch(count_up, u.elements(), u(one_to_one));
        const auto seen = u.read(box(0, 40)).get();
        CHECK(seen.view()(39) == 39);
      },
      "0");
}

}  // namespace stretto
