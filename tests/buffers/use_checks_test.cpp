// The uses that launches and host tasks declare are checked in the call: conflicts between items, axes, and ranges
// beyond a buffer.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>

#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"
#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

// clang-format off
STRETTO_KERNEL(use_smooth, (in<int> u, out<int> v, int n), {
  int i = global_id(0);
  v(i) = (i > 0 ? u(i - 1) : 0) + (i + 1 < n ? u(i + 1) : 0);
})
STRETTO_KERNEL(use_smooth_in_place, (inout<int> u, int n), {
  int i = global_id(0);
  u(i) = (i > 0 ? u(i - 1) : 0) + (i + 1 < n ? u(i + 1) : 0);
})
STRETTO_KERNEL(use_raise, (inout<int> u), { u(global_id(0)) += 1; })
STRETTO_KERNEL(use_double, (in<int> u, out<int> v), { v(global_id(0)) = 2 * u(global_id(0)); })
STRETTO_KERNEL(use_sixth_after, (in<int> u, out<int> v), { v(global_id(0)) = u(global_id(0) + 6); })
STRETTO_KERNEL(use_sum_of_all, (in<int> u, inout<int> v, int n), {
  for (int i = 0; i < n; ++i)
    if (i != global_id(0)) v(global_id(0)) += u(i);
})
STRETTO_GROUP_KERNEL(use_turn_groups, (inout<int> u, local<int> part), {
  each_item([&](item it) { part(it.local_id(0)) = u(it.global_id(0)); });
  each_item([&](item it) { u(it.global_id(0)) = part(1 - it.local_id(0)); });
})
STRETTO_KERNEL(use_sort_rows, (inout<int, 2> u, int n), {
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && u(global_id(0), j) < u(global_id(0), j - 1); --j) {
      int t = u(global_id(0), j);
      u(global_id(0), j) = u(global_id(0), j - 1);
      u(global_id(0), j - 1) = t;
    }
})
STRETTO_KERNEL(use_fill_rows, (out<int, 2> y), { y(global_id(0), 0) = 7; y(global_id(0), 3) = 8; })
STRETTO_KERNEL(use_fill, (out<int, 2> y), { y(global_id(0), global_id(1)) = 1 + global_id(1); })
STRETTO_KERNEL(use_fill_line, (out<int> y), { y(global_id(0)) = 3; })
STRETTO_KERNEL(use_row, (in<int> x, out<int, 2> y), { y(global_id(0), global_id(1)) = x(global_id(1)); })
STRETTO_GROUP_KERNEL(use_fill_groups, (out<int> y, int n), {
  each_item([&](item it) { if (it.global_id(0) < n) y(it.global_id(0)) = 4; });
})
// clang-format on

std::string code_of(const std::string& words) { return words.starts_with("error ") ? words.substr(6, 3) : words; }

buffer<int> counted(const char* name, coordinate n = 12) {
  return buffer<int>(box(0, n), [](coordinate i) { return static_cast<int>(i); });
}

}  // namespace

TEST_CASE("a launch that reads what other items of it write is refused, however many nodes and devices there are") {
  test::on_nodes_with_devices([] {
    const buffer<int> u = counted("u");
    buffers::buffers_state& state = *buffers::state_of(*base::current()->runtime);
    { const buffers::drained_submission_lock all_handed_over(state, std::source_location::current()); }
    const std::uint64_t before = state.tasks.next();
    const auto refused = [&](auto&& f) { return code_of(test::thrown_by(f)); };
    for (int again = 0; again < 2; ++again) {
      CHECK(refused([&] { launch(use_smooth, u.elements(), u(neighborhood(1)), u(one_to_one), 12); }) == "B31");
      CHECK(refused([&] { launch(use_smooth_in_place, u.elements(), u(neighborhood(1)), 12); }) == "B31");
    }
    CHECK(refused([&] { launch(use_smooth, u.elements(), u(wrapped(1)), u(one_to_one), 12); }) == "B31");
    CHECK(refused([&] { launch(use_smooth, u.elements(), u(star(1)), u(one_to_one), 12); }) == "B31");
    CHECK(refused([&] { launch(use_sum_of_all, u.elements(), u(all), u(one_to_one), 12); }) == "B31");
    const auto mirrored = [](const box& part, const box& elements) {
      return box(elements.max()[0] - part.max()[0], elements.max()[0] - part.min()[0]);
    };
    CHECK(refused([&] { launch(use_double, u.elements(), u(mirrored), u(one_to_one)); }) == "B31");
    const int away = 3;  // a function with captures is evaluated in every launch
    CHECK(refused([&] {
            launch(use_double, u.elements(), u([away](const box& part, const box& elements) {
                     return intersection(part.shifted({away}), elements);
                   }),
                   u(one_to_one));
          }) == "B31");
    CHECK(refused([&] {
            host_task(u.elements(), [](view<const int>, view<int>) {}, u.in(neighborhood(1)), u.out(one_to_one));
          }) == "B31");
    CHECK(refused([&] { host_task(in_tiles, u.elements(), [](view<int>) {}, u.inout(neighborhood(1))); }) == "B31");
    CHECK(state.tasks.next() == before);
    CHECK(u.read().get().view()(7) == 7);
  });
}

TEST_CASE("the error names the arguments, the overlap and the repair") {
  runtime rt({.workers = 1});
  rt.run([] {
    const buffer<int> u(box(0, 12), {.name = "u"});
    const std::string words =
        test::thrown_by([&] { launch(use_smooth, u.elements(), u(neighborhood(1)), u(one_to_one), 12); });
    const std::string line = words.substr(words.find("use_checks_test.cpp:"),
                                          words.find("\n  read by") - words.find("use_checks_test.cpp:"));
    CHECK(words ==
          "error B31: launch \"use_smooth\" reads elements of buffer B0 \"u\" that other items of it write\n"
          "  submitted   " +
              line +
              "\n"
              "  read by     argument 1 \"u\" (in): items [0,6) may read [0,7)\n"
              "  written by  argument 2 \"v\" (out): items [6,12) may write [6,12)\n"
              "  overlap     [6,7)\n"
              "  because     the values that are read depend on the order of the items and on how the range is split\n"
              "  try         write into a second array with one_to_one, and swap the two after each launch");
    const std::string of_task =
        test::thrown_by([&] { host_task(name("halo"), u.elements(), [](view<int>) {}, u.inout(neighborhood(1))); });
    CHECK(of_task.find("host task \"halo\" reads elements of buffer B0 \"u\" that other chunks of it write") !=
          of_task.npos);
    CHECK(of_task.find("argument 1 (inout): the chunk [0,6) may read [0,7)") != of_task.npos);
  });
}

TEST_CASE("launches whose items read what they alone write, or what no item writes, are computed") {
  test::on_nodes_with_devices([] {
    const buffer<int> u = counted("u");
    launch(use_raise, u.elements(), u(one_to_one));
    launch(use_double, u.elements(), u(one_to_one), u(one_to_one));
    CHECK(u.read().get().view()(5) == 12);
    launch(use_sum_of_all, box(3, 4), u(all), u(one_to_one), 12);  // one item reads all and writes its own
    CHECK(u.read().get().view()(3) == 8 + 156 - 8);
    launch(use_sixth_after, box(0, 6), u([](const box& part) { return part.shifted({6}); }), u(one_to_one));
    launch(use_turn_groups, in_groups({0, 6}, 2), u(one_to_one), local_size{2});
    const buffer<int, 2> rows({{0, 0}, {8, 4}},
                              [](coordinate i, coordinate j) { return static_cast<int>(10 * i - j); });
    launch(use_sort_rows, box(0, 8), rows(slice(1)), 4);
    CHECK(rows.read().get().view()(5, 0) == 47);
    host_task(
        rows.elements(),
        [](const box& part, view<int, 2> r) {
          for (auto i = part.min()[0]; i < part.max()[0]; ++i) r(i, 1) += r(i, 0);
        },
        rows.inout(slice(1)));
    host_task(
        on_one_node, [](view<const int> from, view<int> to) { to(0) = from(11); }, u.in(all),
        u.inout(fixed(box(0, 1))));
    CHECK(rows.read().get().view()(5, 1) == 47 + 48);
  });
}

TEST_CASE("a range of other axes than the mapper and the buffer take is refused") {
  test::on_nodes_with_devices([] {
    const buffer<int, 2> y({{0, 0}, {8, 4}}, [](coordinate, coordinate) { return 0; });
    const buffer<int> x = counted("x", 8);
    const auto refused = [&](auto&& f) { return code_of(test::thrown_by(f)); };
    CHECK(refused([&] { launch(use_fill_rows, box(0, 8), y(one_to_one)); }) == "B32");
    CHECK(refused([&] { launch(use_fill_rows, box(0, 8), y(neighborhood(1))); }) == "B32");
    CHECK(refused([&] { launch(use_fill_rows, box(0, 8), y(transposed)); }) == "B32");
    CHECK(refused([&] { launch(use_fill_rows, box(0, 8), y(slice(2))); }) == "B32");
    CHECK(refused([&] { launch(use_fill_line, box({0, 0}, {8, 4}), x(one_to_one)); }) == "B32");
    CHECK(refused([&] { launch(use_fill_line, box({0, 0}, {8, 4}), x(slice(1))); }) == "B32");
    CHECK(refused([&] { host_task(box({0, 0}, {8, 4}), [](view<int>) {}, x.out(one_to_one)); }) == "B32");
    launch(use_fill_rows, box(0, 8), y(slice(1)));
    launch(use_fill, box({0, 0}, {8, 1}), y(one_to_one));  // column 0, as the items request
    launch(in_tiles, use_row, box({0, 0}, {8, 4}), x(slice(0)), y(one_to_one));
    CHECK(y.read().get().view()(5, 3) == 3);
  });
}

TEST_CASE("the error of mismatched axes names the range, the buffer, and a fitting alternative") {
  runtime rt({.workers = 1});
  rt.run([] {
    const buffer<int, 2> y({{0, 0}, {8, 4}}, {.name = "y"});
    const std::string words = test::thrown_by([&] { launch(use_fill_rows, box(0, 8), y(one_to_one)); });
    CHECK(words.starts_with(
        "error B32: one_to_one does not fit the range of launch \"use_fill_rows\" and buffer B0 \"y\"\n"));
    CHECK(words.find("  range       [0,8)\n") != words.npos);
    CHECK(words.find("  array       argument 1 \"y\" (out), [0,8)x[0,4) of 2 axes\n") != words.npos);
    CHECK(words.find("  try         launch over a range of 2 axes, or name whole rows: slice(1)") != words.npos);
  });
}

TEST_CASE("a range with items for which one_to_one has no element is refused, but for the rest of the last group") {
  test::on_nodes_with_devices([] {
    const buffer<int> y(box(0, 10), {.name = "y"});
    const auto refused = [&](auto&& f) { return code_of(test::thrown_by(f)); };
    const std::string words = test::thrown_by([&] { launch(use_fill_line, box(0, 16), y(one_to_one)); });
    CHECK_MESSAGE(
        words.starts_with("error B33: launch \"use_fill_line\" has items for which buffer B0 \"y\" has no element\n"),
        words);
    CHECK(refused([&] { launch(use_fill_line, box(-1, 5), y(one_to_one)); }) == "B33");
    CHECK(refused([&] { launch(use_fill_groups, in_groups({0, 4}, 4), y(one_to_one), 10); }) == "B33");
    launch(use_fill_groups, in_groups({0, 3}, 4), y(one_to_one), 10);
    launch(use_fill_line, box(2, 7), y(one_to_one));
    launch(use_fill_line, box(), y(one_to_one));
    CHECK(y.read().get().view()(9) == 4);
    CHECK(y.read().get().view()(2) == 3);
  });
}

}  // namespace stretto
