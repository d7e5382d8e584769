#include <stretto/copy.hpp>
#include <stretto/instance.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "data/data_runtime.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("an instance exists at once if nothing is to be waited for, and its elements can be used") {
  with_data([] {
    auto [u, ready] = instance<double, 2>::create(at(ram), box({-2, 3}, {4, 8}));
    CHECK(ready == event());
    auto v = u.view();
    v(-2, 3) = 1.5;
    v(3, 7) = 2.5;
    CHECK(u.data()[0] == 1.5);
    CHECK(u.data()[6 * 5 - 1] == 2.5);
    CHECK(v.row(3)[4] == 2.5);
    CHECK(u.elements() == box({-2, 3}, {4, 8}));
    CHECK(u.memory() == ram);
    CHECK(usage_of(ram).used == 256);
    CHECK(u.destroy() == event());
    CHECK(usage_of(ram).used == 0);
  });
}

TEST_CASE("Fortran order and given strides place elements as they say") {
  with_data([] {
    const auto f = instance<int, 2>::create(at(ram), box({0, 0}, {3, 4}), {.order = axis_order::fortran}).made;
    CHECK(&f.view()(1, 0) == f.data() + 1);
    CHECK(&f.view()(0, 1) == f.data() + 3);
    const std::array<std::int64_t, 2> wide{8, -2};
    const auto s = instance<int, 2>::create(at(ram), box({0, 0}, {3, 4}), {.strides = wide}).made;
    CHECK(&s.view()(1, 0) == s.data() + 8);
    CHECK(&s.view()(0, 1) == s.data() - 2);
    CHECK(usage_of(ram).used == block_allocator::rounded(48) + block_allocator::rounded((2 * 8 + 3 * 2 + 1) * 4));
    f.destroy();
    s.destroy();
  });
}

TEST_CASE("external memory is used in place and stays with the program") {
  with_data([] {
    std::vector<float> mine(12, 1.0f);
    const auto x = instance<float, 2>::external(mine.data(), box({0, 0}, {3, 4}));
    wait(fill(x, box({1, 0}, {2, 4}), 5.0f));
    CHECK(mine[3] == 1.0f);
    CHECK(mine[4] == 5.0f);
    CHECK(mine[7] == 5.0f);
    CHECK(mine[8] == 1.0f);
    x.destroy();
    CHECK(mine[4] == 5.0f);
    CHECK(usage_of(ram).used == 0);
  });
}

TEST_CASE("a deferred creation happens after its precondition and operations wait for it by themselves") {
  with_data([] {
    const auto start = user_event::create();
    auto [u, ready] = instance<int>::create(at(ram), {0, 10}, after(start));
    CHECK_FALSE(ready.has_triggered());
    CHECK(usage_of(ram).used == 0);
    const event filled = fill(u, 7);
    CHECK_FALSE(filled.has_triggered());
    start.trigger();
    wait(filled);
    CHECK(ready.has_triggered());
    CHECK(u.view()(9) == 7);
    u.destroy();
  });
}

TEST_CASE("an empty instance is an instance") {
  with_data([] {
    const auto u = instance<int>::create(at(ram), {5, 5}).made;
    CHECK(u.view().size() == 0);
    CHECK(fill(u, 1) == event());
    CHECK(copy(u, instance<int>::create(at(ram), {0, 0}).made) == event());
    u.destroy();
  });
}

TEST_CASE("a creation beyond the capacity poisons its event with the bytes wanted, free and in one block") {
  with_data(
      [] {
        const auto a = instance<char>::create(at(ram), {0, 100000}).made;
        auto [b, ready] = instance<char>::create(at(ram), {0, 1000000}, {.name = "big"});
        CHECK(ready.is_poisoned());
        CHECK(without_lines(thrown_by([&, r = ready] { wait(r); })) ==
              "error D03: instance \"big\" does not fit into memory \"ram\"\n"
              "  submitted   instance_test.cpp:\n"
              "  needed      1,000,000 bytes\n"
              "  free        948,544 bytes\n"
              "  largest     948,544 bytes in one block\n"
              "  capacity    1,048,576 bytes\n"
              "  because     no destruction that was submitted earlier is still pending\n"
              "  try         destroy instances before this creation is submitted, or use smaller ones");
        CHECK(thrown_by([&, b = b] { b.view(); }).find("error D03") == 0);
        const event filled = fill(b, 'x');
        CHECK(filled.is_poisoned());
        CHECK(thrown_by([&] { wait(filled); }).find("D03") != std::string::npos);
        const auto c = instance<char>::create(at(ram), {0, 2000000}).ready;
        CHECK(thrown_by([&] { wait(c); }).find("the memory is smaller than the instance") != std::string::npos);
        b.destroy();
        a.destroy();
        CHECK(usage_of(ram).used == 0);
      },
      {.ram_bytes = 1 << 20});
}

TEST_CASE("memory in pieces is named as the cause") {
  with_data(
      [] {
        std::vector<instance<char>> all;
        for (int i = 0; i < 8; ++i) all.push_back(instance<char>::create(at(ram), {0, 8192}).made);
        for (int i = 0; i < 8; i += 2) all[static_cast<std::size_t>(i)].destroy();
        const event e = instance<char>::create(at(ram), {0, 16384}).ready;
        CHECK(thrown_by([&] { wait(e); }).find("the free memory is fragmented") != std::string::npos);
        for (int i = 1; i < 8; i += 2) all[static_cast<std::size_t>(i)].destroy();
        CHECK(instance<char>::create(at(ram), {0, 65536}).ready == event());
      },
      {.ram_bytes = 65536});
}

TEST_CASE("a full memory makes a creation wait for a destruction that was submitted before") {
  with_data(
      [] {
        const auto a = instance<char>::create(at(ram), {0, 60000}).made;
        const auto used_up = user_event::create();
        const event gone = a.destroy(after(used_up));
        auto [b, ready] = instance<char>::create(at(ram), {0, 50000});
        CHECK_FALSE(ready.has_triggered());
        const event filled = fill(b, 'b');
        used_up.trigger();
        wait(filled);
        CHECK(ready.has_triggered());
        CHECK_FALSE(ready.is_poisoned());
        CHECK(gone.has_triggered());
        b.destroy();
      },
      {.ram_bytes = 65536});
}

TEST_CASE("a destruction runs also if its precondition is poisoned, and succeeds") {
  with_data([] {
    const auto a = instance<char>::create(at(ram), {0, 1000}).made;
    const auto never = user_event::create();
    const event gone = a.destroy(after(never));
    never.poison(std::make_exception_ptr(std::runtime_error("no")));
    wait(gone);
    CHECK(usage_of(ram).used == 0);
  });
}

TEST_CASE("a creation whose precondition is poisoned takes no memory, and can be destroyed") {
  with_data([] {
    const auto never = user_event::create();
    auto [a, ready] = instance<char>::create(at(ram), {0, 1000}, after(never));
    const event gone = a.destroy();
    CHECK_FALSE(gone.has_triggered());
    never.poison(std::make_exception_ptr(std::runtime_error("no")));
    CHECK(ready.is_poisoned());
    CHECK_FALSE(ready.result().ok());
    wait(gone);
    CHECK(usage_of(ram).used == 0);
    CHECK(usage_of(ram).peak == 0);
  });
}

TEST_CASE("every use of a destroyed instance is refused") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 10}, {.name = "a"}).made;
    const auto b = instance<int>::create(at(ram), {0, 10}, {.name = "b"}).made;
    a.destroy();
    CHECK(without_lines(thrown_by([&] { copy(a, b); })) ==
          "error D01: instance \"a\" was destroyed before this copy\n"
          "  submitted   instance_test.cpp:\n"
          "  destroyed   instance_test.cpp:\n"
          "  because     the destruction did not wait for it\n"
          "  try         destroy the instance after everything that uses it: x.destroy(after(event))");
    CHECK(thrown_by([&] { a.destroy(); }).find("error D01") == 0);
    CHECK(thrown_by([&] { a.view(); }).find("error D01") == 0);
    const auto c = instance<int>::create(at(ram), {0, 10}, {.name = "c"}).made;  // the record is used again
    CHECK(thrown_by([&] { fill(a, 1); }).find("error D01: an instance was destroyed before this fill") == 0);
    b.destroy();
    c.destroy();
  });
}

TEST_CASE("while a destruction waits, what it waits for may use the instance, but nobody may destroy it again") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 10}, {.name = "a"}).made;
    wait(fill(a, 4));
    const auto start = user_event::create();
    auto sum_of_a = async(after(start), [a] {
      wait(fill(a, {0, 5}, 5));
      int total = 0;
      for (const int x : a.view().row()) total += x;
      return total;
    });
    const event gone = a.destroy(after(sum_of_a));
    CHECK(thrown_by([&] { a.destroy(); }).find("error D01: instance \"a\" was destroyed before this destroy") == 0);
    start.trigger();
    CHECK(sum_of_a.get() == 45);
    wait(gone);
    CHECK(usage_of(ram).used == 0);
  });
}

TEST_CASE("an operation that a destruction did not wait for is poisoned and touches nothing") {
  with_data([] {
    std::vector<int> mine(10, 3);
    const auto x = instance<int>::external(mine.data(), {0, 10}, {.name = "x"});
    const auto later = user_event::create();
    const event filled = fill(x, 9, after(later));
    x.destroy();
    later.trigger();
    CHECK(without_lines(thrown_by([&] { wait(filled); }))
              .find("error D08: fill started after an instance that it uses was destroyed\n"
                    "  submitted   instance_test.cpp:\n"
                    "  instance    the one that it writes\n"
                    "  because     the destruction did not wait for it\n"
                    "  try         pass the operation's event to destroy: x.destroy(after(event))") !=
          std::string::npos);
    CHECK(mine[0] == 3);
  });
}

TEST_CASE("errors of a creation that are known at once are thrown by the call") {
  with_data([] {
    CHECK(without_lines(thrown_by([] { instance<int>::create(at(place{77}), {0, 4}); })) ==
          "error D04: an instance cannot be created at a place that is not a memory of this runtime\n"
          "  submitted   instance_test.cpp:\n"
          "  place       number 77\n"
          "  memories    ram, other, far\n"
          "  try         choose one of runtime.machine().memories()");
    const std::array<std::int64_t, 2> narrow{3, 1}, one{1, 0};
    CHECK(without_lines(
              thrown_by([&] { instance<int, 2>::create(at(ram), box({0, 0}, {3, 4}), {.strides = narrow}); })) ==
          "error D05: the strides let two elements share memory\n"
          "  submitted   instance_test.cpp:\n"
          "  box         [0,3)x[0,4)\n"
          "  strides     3, 1 (elements)\n"
          "  because     each axis must step over everything that the axes with smaller strides reach\n"
          "  try         widen the strides, or leave them out for a dense instance");
    CHECK(without_lines(thrown_by([&] { instance<int>::create(at(ram), {0, 4}, {.strides = one}); })) ==
          "error D05: the strides do not fit the dimensions of the instance\n"
          "  submitted   instance_test.cpp:\n"
          "  strides     2\n"
          "  dimensions  1\n"
          "  try         give one stride per axis, in elements");
    CHECK(without_lines(thrown_by([&] { instance<int>::create(at(ram), box({0, 0}, {3, 4})); })) ==
          "error D05: the box has more axes than the instance\n"
          "  submitted   instance_test.cpp:\n"
          "  box         [0,3)x[0,4)\n"
          "  dimensions  1\n"
          "  try         declare the instance with as many dimensions as the box has");
    alignas(8) char raw[64];
    CHECK(without_lines(thrown_by([&] { instance<double>::external(reinterpret_cast<double*>(raw + 4), {0, 2}); })) ==
          "error D05: external memory is not aligned for its element type\n"
          "  submitted   instance_test.cpp:\n"
          "  alignment   8 bytes\n"
          "  address     off by 4 bytes");
    CHECK(without_lines(thrown_by([&] { instance<int>::create(at(ram), {0, std::int64_t{1} << 61}); })) ==
          "error D14: an instance of more than 2^62 bytes was requested\n"
          "  submitted   instance_test.cpp:\n"
          "  box         [0,2305843009213693952)\n"
          "  element     4 bytes");
    const std::int64_t far_apart = std::int64_t{1} << 60, widest = std::numeric_limits<std::int64_t>::min();
    CHECK(thrown_by([&] {
            instance<int>::create(at(ram), {0, 3}, {.strides = {&far_apart, 1}});
          }).starts_with("error D14:"));
    CHECK(thrown_by([&] {
            instance<int>::create(at(ram), {0, 3}, {.strides = {&widest, 1}});
          }).starts_with("error D14:"));
    CHECK(without_lines(thrown_by([] { fill(instance<int>(), 1); })) ==
          "error D13: fill was given an instance handle that is empty\n"
          "  submitted   instance_test.cpp:\n"
          "  try         create the instance first: a default-constructed handle is empty");
    CHECK(without_lines(thrown_by([] { usage_of(place{9}); })) ==
          "error D04: usage_of was called with a place that is not a memory of this runtime\n"
          "  submitted   instance_test.cpp:");
  });
}

TEST_CASE("opening an instance before it exists, a row across the grain and an element outside are errors") {
  with_data([] {
    const auto start = user_event::create();
    const auto u = instance<int, 2>::create(at(ram), box({0, 0}, {3, 4}), {.order = axis_order::fortran, .name = "u"},
                                            after(start))
                       .made;
    CHECK(without_lines(thrown_by([&] { u.view(); })) ==
          "error D09: instance \"u\" was accessed before it existed\n"
          "  submitted   instance_test.cpp:\n"
          "  created     instance_test.cpp:\n"
          "  because     its creation waits for preconditions, or for memory\n"
          "  try         access it in a task that runs after(ready)");
    start.trigger();
    CHECK(without_lines(thrown_by([&] { u.view().row(1); })) ==
          "error D10: row() requires an instance whose last axis is contiguous\n"
          "  stride      12 bytes between elements of 4\n"
          "  try         use operator(), or create the instance in C order");
    CHECK(thrown_by([&] { u.view<bounds::checked>()(2, 4); }) ==
          "error D02: a view accesses an element outside of its instance\n"
          "  element     (2, 4)\n"
          "  box         [0,3)x[0,4)");
    CHECK_NOTHROW(u.view<bounds::checked>()(2, 3));
    u.destroy();
  });
}

TEST_CASE("an instance of another runtime is recognised") {
  instance<int> stale;
  with_data([&] { stale = instance<int>::create(at(ram), {0, 4}).made; });
  runtime_options one;
  one.workers = 1;
  const runtime holds_the_node_number(one);
  with_data([&] {
    CHECK(thrown_by([&] { fill(stale, 1); }).find("error D13: fill was given an instance of another runtime") == 0);
  });
}

TEST_CASE("many tasks create, use and destroy instances at the same time without losing a byte") {
  with_data([] {
    std::atomic<int> wrong{0};
    finish([&] {
      for (int t = 0; t < 64; ++t)
        async([&wrong, t] {
          for (int i = 0; i < 50; ++i) {
            const int n = 1 + (t * 31 + i * 17) % 700;
            const auto u = instance<int>::create(at(ram), {0, n}).made;
            wait(fill(u, t));
            if (u.view()(n - 1) != t) ++wrong;
            u.destroy();
          }
        });
    });
    CHECK(wrong == 0);
    CHECK(usage_of(ram).used == 0);
    CHECK(usage_of(ram).largest_block == usage_of(ram).capacity);
  });
}

TEST_CASE(
    "tasks that together want more than there is succeed one after another, by waiting for earlier destructions") {
  with_data(
      [] {
        event before;
        std::vector<event> all;
        for (int i = 0; i < 40; ++i) {
          auto [u, ready] = instance<char>::create(at(ram), {0, 40000});
          const event filled = fill(u, static_cast<char>(i), after(before));
          before = filled;
          all.push_back(u.destroy(after(filled)));
        }
        for (const event e : all) wait(e);
        CHECK_FALSE(before.is_poisoned());
        CHECK(usage_of(ram).used == 0);
        CHECK(usage_of(ram).peak <= 65536);
      },
      {.ram_bytes = 65536});
}
