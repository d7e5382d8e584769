#include <stretto/copy.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "data/data_runtime.hpp"

using namespace stretto;
using namespace stretto::data;

namespace {
template <class T>
void number(const instance<T>& u) {
  auto v = u.view();
  for (auto i = v.min(0); i < v.max(0); ++i) v(i) = static_cast<T>(i);
}
}  // namespace

TEST_CASE("a small copy with nothing to wait for is done when the call returns and makes no event") {
  with_data([] {
    const auto a = instance<double>::create(at(ram), {0, 4}).made;
    const auto b = instance<double>::create(at(other), {0, 4}).made;
    number(a);
    const auto created = current_event_statistics().created;
    CHECK(copy(a, b) == event());
    CHECK(current_event_statistics().created == created);
    CHECK(b.view()(3) == 3);
  });
}

TEST_CASE("copies chained by events run in their order") {
  with_data([] {
    constexpr int n = 200;
    std::vector<instance<int>> u;
    for (int i = 0; i <= n; ++i) u.push_back(instance<int>::create(at(ram), {0, 2}).made);
    fill(u[0], 42);
    const auto start = user_event::create();
    event last = start;
    for (std::size_t i = 0; i < n; ++i) last = copy(u[i], u[i + 1], after(last));
    CHECK_FALSE(last.has_triggered());
    start.trigger();
    wait(last);
    CHECK(u[n].view()(1) == 42);
  });
}

TEST_CASE("a large copy is cut over the workers and complete when its event triggers") {
  with_data(
      [] {
        const box b({0, 0}, {1000, 1031});
        const auto a = instance<float, 2>::create(at(ram), b).made;
        const auto c = instance<float, 2>::create(at(ram), b).made;
        auto v = a.view();
        for (int i = 0; i < 1000; ++i)
          for (int j = 0; j < 1031; ++j) v(i, j) = static_cast<float>(i * 2000 + j);
        wait(copy(a, c, box({1, 1}, {999, 1030}), after(fill(c, -1.0f))));
        auto w = c.view();
        bool right = w(0, 0) == -1 && w(999, 5) == -1 && w(5, 1030) == -1;
        for (int i = 1; i < 999; ++i)
          for (int j = 1; j < 1030; ++j) right = right && w(i, j) == v(i, j);
        CHECK(right);
      },
      {.part_bytes = 64 << 10});
}

TEST_CASE("tiles of one index space exchange halos by naming the box") {
  with_data([] {
    const auto left = instance<int, 2>::create(at(ram), box({0, 0}, {4, 6})).made;
    const auto right = instance<int, 2>::create(at(ram), box({0, 4}, {4, 10})).made;
    const event filled = merge(fill(left, 1), fill(right, 2));
    wait(copy(left, right, box({0, 4}, {4, 5}), after(filled)));
    wait(copy(right, left, box({0, 5}, {4, 6}), after(filled)));
    CHECK(left.view()(2, 4) == 1);
    CHECK(left.view()(2, 5) == 2);
    CHECK(right.view()(3, 4) == 1);
    CHECK(right.view()(3, 5) == 2);
  });
}

TEST_CASE("several boxes are one operation, and a box can go elsewhere") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 20}).made;
    const auto b = instance<int>::create(at(ram), {0, 20}).made;
    number(a);
    fill(b, -1);
    const std::vector<box> parts{{0, 2}, {5, 6}, {18, 20}};
    const auto start = user_event::create();
    const event e = copy(a, b, parts, after(start));
    start.trigger();
    wait(e);
    auto v = b.view();
    CHECK(v(1) == 1);
    CHECK(v(2) == -1);
    CHECK(v(5) == 5);
    CHECK(v(19) == 19);
    copy(a, {3, 6}, b, 10);
    CHECK(v(10) == 3);
    CHECK(v(12) == 5);
    CHECK(v(13) == -1);
    copy(a, {0, 5}, a, 10);
    CHECK(a.view()(14) == 4);
  });
}

TEST_CASE("fill takes values of any size") {
  struct wide {
    double a[9];
  };
  with_data([] {
    const auto u = instance<wide>::create(at(ram), {0, 3}).made;
    wide w{};
    w.a[8] = 4;
    const auto start = user_event::create();
    const event e = fill(u, w, after(start));
    w.a[8] = 5;
    start.trigger();
    wait(e);
    CHECK(u.view()(2).a[8] == 4);
  });
}

TEST_CASE("gather and scatter follow an instance of indices") {
  with_data([] {
    const auto table = instance<double>::create(at(ram), {0, 100}).made;
    const auto index = instance<std::int32_t>::create(at(ram), {0, 5}).made;
    const auto out = instance<double>::create(at(ram), {0, 5}).made;
    number(table);
    for (int i = 0; i < 5; ++i) index.view()(i) = 99 - 10 * i;
    wait(gather(table, index, out));
    CHECK(out.view()(2) == 79);
    wait(fill(table, 0.0));
    wait(scatter(out, index, table));
    CHECK(table.view()(79) == 79);
    CHECK(table.view()(78) == 0);

    const auto image = instance<int, 2>::create(at(ram), box({0, 0}, {4, 4})).made;
    const auto where = instance<std::array<std::int64_t, 2>>::create(at(ram), {0, 2}).made;
    const auto picked = instance<int>::create(at(ram), {0, 2}).made;
    wait(fill(image, 0));
    image.view()(2, 3) = 23;
    where.view()(0) = {2, 3};
    where.view()(1) = {0, 0};
    wait(gather(image, where, picked));
    CHECK(picked.view()(0) == 23);
    CHECK(picked.view()(1) == 0);
  });
}

TEST_CASE("an index outside poisons the event and names itself") {
  with_data([] {
    const auto table = instance<int>::create(at(ram), {0, 10}, {.name = "table"}).made;
    const auto index = instance<std::int64_t>::create(at(ram), {0, 2}).made;
    const auto out = instance<int>::create(at(ram), {0, 2}).made;
    wait(fill(table, 1));
    index.view()(0) = 9;
    index.view()(1) = 10;
    const event e = gather(table, index, out);
    CHECK(without_lines(thrown_by([&] { wait(e); })) ==
          "error D07: gather found an index outside of instance \"table\"\n"
          "  submitted   copy_test.cpp:\n"
          "  index       10\n"
          "  box         [0,10)");
    CHECK(thrown_by([&] { wait(scatter(out, index, table)); }).find("error D07: scatter found an index outside") == 0);
  });
}

TEST_CASE("a poisoned precondition leaves the target as it was and passes its cause on") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 4}, {.name = "a"}).made;
    const auto b = instance<int>::create(at(ram), {0, 4}, {.name = "b"}).made;
    fill(a, 1);
    fill(b, 2);
    const auto bad = user_event::create();
    const event copied = copy(a, b, after(bad));
    const event next = fill(a, 3, after(copied));
    bad.poison(std::make_exception_ptr(std::runtime_error("the sensor is gone")));
    CHECK(next.is_poisoned());
    CHECK(b.view()(0) == 2);
    CHECK(a.view()(0) == 1);
    const std::string why = thrown_by([&] { wait(next); });
    CHECK(why.find("the sensor is gone") != std::string::npos);
    CHECK(why.find("copy of instance \"a\" to instance \"b\"") != std::string::npos);
    const event at_once = fill(b, 9, after(bad));
    CHECK(at_once.is_poisoned());
    CHECK(b.view()(0) == 2);
  });
}

TEST_CASE("the first poisoned precondition in order is the cause, of few and of many") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 4}).made;
    for (const std::size_t n : {3u, 9u}) {
      std::vector<user_event> mine;
      std::vector<event> all;
      for (std::size_t i = 0; i < n; ++i) {
        mine.push_back(user_event::create());
        all.push_back(mine.back());
      }
      const event e = fill(a, 1, after(std::span<const event>(all)));
      mine[2].poison(std::make_exception_ptr(std::runtime_error("third")));
      CHECK_FALSE(e.has_triggered());
      mine[1].poison(std::make_exception_ptr(std::runtime_error("second")));
      for (std::size_t i = 0; i < n; ++i)
        if (i != 1 && i != 2) mine[i].trigger();
      CHECK(e.is_poisoned());
      CHECK(thrown_by([&] { wait(e); }).find("second") != std::string::npos);
    }
  });
}

TEST_CASE("boxes that do not fit are refused by the call, and nothing is written") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 10}, {.name = "a"}).made;
    const auto b = instance<int>::create(at(ram), {5, 12}, {.name = "b"}).made;
    fill(b, 0);
    CHECK(without_lines(thrown_by([&] { copy(a, b); })) ==
          "error D06: copy of whole instances whose boxes differ\n"
          "  submitted   copy_test.cpp:\n"
          "  from        instance \"a\", [0,10)\n"
          "  to          instance \"b\", [5,12)\n"
          "  try         name the box to copy, or where it goes: copy(from, box, to, at)");
    CHECK(without_lines(thrown_by([&] { copy(a, b, {4, 8}); })) ==
          "error D06: copy uses elements outside of instance \"b\"\n"
          "  submitted   copy_test.cpp:\n"
          "  box         [4,8)\n"
          "  instance    [5,12)");
    CHECK(thrown_by([&] { copy(a, b, {8, 11}); }).find("outside of instance \"a\"") != std::string::npos);
    CHECK(thrown_by([&] { fill(b, {0, 6}, 1); }).find("error D06: fill names") == 0);
    CHECK(without_lines(thrown_by([&] { copy(a, {0, 5}, a, 4); })) ==
          "error D11: copy reads and writes the same elements of instance \"a\"\n"
          "  submitted   copy_test.cpp:\n"
          "  from        [0,5)\n"
          "  to          [4,9)\n"
          "  try         copy through a second instance");
    const auto index = instance<std::int32_t>::create(at(ram), {0, 3}).made;
    CHECK(thrown_by([&] { gather(a, index, b); }).find("error D06: gather names elements") == 0);
    CHECK(b.view()(5) == 0);
  });
}

TEST_CASE("futures are preconditions too") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 4}).made;
    auto f = async([] { return 5; });
    wait(fill(a, 8, after(f)));
    CHECK(a.view()(3) == 8);
    auto bad = async([]() -> int { throw std::runtime_error("task broke"); });
    const event e = fill(a, 9, after(bad));
    CHECK(thrown_by([&] { wait(e); }).find("task broke") != std::string::npos);
    CHECK(a.view()(3) == 8);
  });
}

TEST_CASE("tasks on all workers copy to their own boxes of one instance at the same time") {
  with_data([] {
    constexpr int tiles = 64, side = 40;
    const auto whole = instance<int, 2>::create(at(ram), box({0, 0}, {tiles, side})).made;
    std::vector<event> done(tiles);
    finish([&] {
      for (int t = 0; t < tiles; ++t)
        async([&, t] {
          const auto mine = instance<int, 2>::create(at(ram), box({t, 0}, {t + 1, side})).made;
          const event filled = fill(mine, t);
          done[static_cast<std::size_t>(t)] = copy(mine, whole, box({t, 0}, {t + 1, side}), after(filled));
          mine.destroy(after(done[static_cast<std::size_t>(t)]));
        });
    });
    wait(merge(done));
    bool right = true;
    for (int t = 0; t < tiles; ++t)
      for (int j = 0; j < side; ++j) right = right && whole.view()(t, j) == t;
    CHECK(right);
  });
}
