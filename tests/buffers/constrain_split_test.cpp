// constrain_split: items that share an element stay together, however the range is split; and mappers that receive the
// range.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

// clang-format off
STRETTO_KERNEL(constrained_pairs, (in<int> x, out<int> y), {
  int i = global_id(0);
  if (i % 2 == 0) y(i / 2) = x(i) + x(i + 1);
})
STRETTO_KERNEL(constrained_sums, (in<int> x, inout<int> y), {
  int i = global_id(0);
  if (i % 3 == 0) y(i / 3) += x(i) + x(i + 1) + x(i + 2);
})
STRETTO_GROUP_KERNEL(constrained_groups, (in<int> x, out<int> y), {
  each_item([&](item it) { int i = it.global_id(0); if (i % 6 == 0) y(i / 6) = x(i) + x(i + 5); });
})
STRETTO_KERNEL(constrained_squares, (in<int, 2> x, out<int, 2> y), {
  int i = global_id(0), j = global_id(1);
  if (i % 2 == 0 && j % 3 == 0) y(i / 2, j / 3) = x(i, j) + x(i + 1, j + 2);
})
STRETTO_KERNEL(constrained_mirror, (in<int> x, out<int> y, int n), { y(global_id(0)) = x(n - 1 - global_id(0)); })
// clang-format on

box divided(const box& part, coordinate by) { return box(part.min()[0] / by, (part.max()[0] + by - 1) / by); }
constexpr auto half = [](const box& part) { return divided(part, 2); };
constexpr auto third = [](const box& part) { return divided(part, 3); };
constexpr auto sixth = [](const box& part) { return divided(part, 6); };
constexpr auto second_and_third = [](const box& part) {
  return box({part.min()[0] / 2, part.min()[1] / 3}, {(part.max()[0] + 1) / 2, (part.max()[1] + 2) / 3});
};

int own_place(coordinate i) { return static_cast<int>(i); }

}  // namespace

TEST_CASE(
    "cuts lie on multiples of what is asked for, on all nodes and devices, with weights, in pieces, of kernels and "
    "host tasks") {
  test::on_nodes_with_devices([] {
    const buffer<int> x(box(0, 18), own_place);
    const auto sums = [&](auto&& compute) {
      const buffer<int> y(box(0, 9), [](coordinate) { return -1; });
      compute(y);
      const auto seen = y.read().get();
      for (int i = 0; i < 9; ++i) CHECK(seen.view()(i) == 4 * i + 1);
    };
    sums([&](const buffer<int>& y) {
      launch(constrain_split(2), constrained_pairs, box(0, 18), x(one_to_one), y(half));
    });
    sums([&](const buffer<int>& y) {
      launch(constrain_split(4), in_pieces{3}, constrained_pairs, box(0, 18), x(one_to_one), y(half));
    });
    const auto by_function = [](const box& part, view<const int> x, view<int> y) {
      for (auto i = part.min()[0]; i < part.max()[0]; i += 2) y(i / 2) = x(i) + x(i + 1);
    };
    sums([&](const buffer<int>& y) {
      host_task(constrain_split(2), box(0, 18), by_function, x.in(one_to_one), y.out(half));
    });
    sums([&](const buffer<int>& y) {
      host_task(constrain_split(2), in_pieces{2}, box(0, 18), by_function, x.in(one_to_one), y.out(half));
    });
    std::vector<double> weights(job_nodes(), 1);
    weights.back() = 2.5;
    set_weights({.nodes = weights});
    sums([&](const buffer<int>& y) {
      launch(constrain_split(2), constrained_pairs, box(0, 18), x(one_to_one), y(half));
    });
    set_weights({});
    const buffer<int> y(box(0, 6), [](coordinate) { return 100; });
    launch(constrain_split(3), constrained_sums, box(0, 18), x(one_to_one),
           y(third));  // read and written: only items of one cell
    CHECK(y.read().get().view()(4) == 100 + 12 + 13 + 14);
    const buffer<int> z(box(0, 3));
    launch(constrain_split(3), constrained_groups, in_groups({0, 9}, 2), x(one_to_one),
           z(sixth));  // groups are not split, either
    CHECK(z.read().get().view()(2) == 12 + 17);
  });
}

TEST_CASE("a range in tiles is cut at multiples along both axes") {
  test::on_nodes_with_devices([] {
    const buffer<int, 2> x({{0, 0}, {8, 12}}, [](coordinate i, coordinate j) { return static_cast<int>(100 * i + j); }),
        y({{0, 0}, {4, 4}});
    launch(in_tiles, constrain_split(2, 3), constrained_squares, x.elements(), x(one_to_one), y(second_and_third));
    const auto seen = y.read().get();
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) CHECK(seen.view()(i, j) == 200 * 2 * i + 100 + 6 * j + 2);
  });
}

TEST_CASE("launches that differ only in their constraint have different keys") {
  test::on_nodes_of(simulated_job({.nodes = 3, .seed = 1}), {.workers = 1}, [](runtime&) {
    const buffer<int> x(box(0, 10), own_place), y(box(0, 5));
    for (int again = 0; again < 3; ++again) {
      launch(constrain_split(2), constrained_pairs, box(0, 10), x(one_to_one), y(half));
      const std::string words = test::thrown_by([&] { launch(constrained_pairs, box(0, 10), x(one_to_one), y(half)); });
      CHECK_MESSAGE(words.starts_with("error B04: "), words);
    }
    CHECK(y.read().get().view()(4) == 17);
  });
}

TEST_CASE("a constraint of less than one item is refused") {
  runtime rt({.workers = 1});
  rt.run([] {
    const buffer<int> x(box(0, 10), own_place), y(box(0, 5));
    const std::string words =
        test::thrown_by([&] { launch(constrain_split(0), constrained_pairs, box(0, 10), x(one_to_one), y(half)); });
    CHECK_MESSAGE(
        words.starts_with(
            "error B35: the grain of a split must be at least 1 element\n  submitted   constrain_split_test.cpp:"),
        words);
    CHECK(words.find("leave constrain_split out") != words.npos);
    CHECK(test::thrown_by([&] {
            host_task(constrain_split(2, -1), box(0, 10), [](view<int>) {}, y.out(half));
          }).starts_with("error B35: "));
    const object<int> u(box(0, 10));
    CHECK(test::thrown_by([&] {
            launch(constrain_split(0), constrained_pairs, box(0, 10), u, object<int>(box(0, 5)));
          }).starts_with("error B35: "));
  });
}

TEST_CASE("a mapper may take the whole range of the launch") {
  test::on_nodes_with_devices([] {
    const buffer<int> x(box(0, 12), own_place), y(box(0, 12));
    launch(constrained_mirror, box(0, 12), x([](const box& part, const box& all, const box& range) {
             return intersection(box(range.max()[0] - part.max()[0], range.max()[0] - part.min()[0]), all);
           }),
           y(one_to_one), 12);
    CHECK(y.read().get().view()(3) == 8);
  });
}

TEST_CASE("a launch on objects is divided at multiples, and its mappers receive the range") {
  for (const char* devices : {"none", "sim", "sim:3"}) {
    CAPTURE(devices);
    runtime rt({.workers = 2, .devices = devices});
    rt.run([] {
      std::vector<int> numbers(18);
      std::iota(numbers.begin(), numbers.end(), 0);
      const object<int> x(box(0, 18), numbers.data()), y(box(0, 9)), z(box(0, 18));
      for (int again = 0; again < 4; ++again) {
        launch(constrain_split(2), constrained_pairs, box(0, 18), x(one_to_one), y(half));
        launch(constrained_mirror, box(0, 18), x([](const box& part, const box& all, const box& range) {
                 return intersection(box(range.max()[0] - part.max()[0], range.max()[0] - part.min()[0]), all);
               }),
               z(one_to_one), 18);
      }
      CHECK(y.read().get().view()(8) == 33);
      CHECK(z.read().get().view()(0) == 17);
    });
  }
}

}  // namespace stretto
