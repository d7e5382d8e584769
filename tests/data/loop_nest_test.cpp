#include "data/loop_nest.hpp"

#include <doctest/doctest.h>

#include <map>

#include "data/strided_model.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("a walk visits every element of its box once, in operands of any strides, and so do its parts together") {
  const bool ok = rc::check([] {
    const box whole = model::random_box(3);
    const box part = model::random_part(whole);
    model::array a(whole, 4, std::byte{0}), b(whole, 8, std::byte{0});
    std::map<std::byte*, std::byte*> expected, seen;
    model::for_each_point(part, [&](const point& p) { expected[a.at(p)] = b.at(p); });
    const auto walk = plan(part, std::array{a.as_operand(), b.as_operand()});
    RC_ASSERT(walk.volume() == part.volume());
    const unsigned parts = *rc::gen::inRange(1u, 6u);
    for (unsigned i = 0; i < parts; ++i)
      for_each_run(part_of(walk, i, parts), [&](auto at, std::uint64_t count, const auto& step) {
        for (std::uint64_t k = 0; k < count; ++k, at[0] += step[0], at[1] += step[1])
          RC_ASSERT(seen.emplace(at[0], at[1]).second);
      });
    RC_ASSERT(seen == expected);
  });
  CHECK(ok);
}

TEST_CASE("a dense box in two dense arrays of the same order is one run") {
  const box b({0, 0, 0}, {4, 5, 6});
  for (const axis_order order : {axis_order::c, axis_order::fortran}) {
    const operand o{nullptr, dense_layout(b, 3, 8, order)};
    const auto walk = plan(b, std::array{o, o});
    CHECK(walk.rank == 1);
    CHECK(walk.run().count == 120);
  }
}

TEST_CASE("rows of a wider array stay rows") {
  const box wide({0, 0}, {10, 100}), part({2, 10}, {8, 30});
  const auto walk = plan(part, std::array{operand{nullptr, dense_layout(wide, 2, 4)}});
  CHECK(walk.rank == 2);
  CHECK(walk.loops[0].count == 6);
  CHECK(walk.run().count == 20);
}

TEST_CASE("one element is a walk without loops and an empty box is none") {
  const operand o{nullptr, dense_layout(box(0, 9), 1, 8)};
  CHECK(plan(box(3, 4), std::array{o}).rank == 0);
  CHECK(plan(box(3, 4), std::array{o}).volume() == 1);
  CHECK(plan(box(), std::array{o}).volume() == 0);
  CHECK(part_of(plan(box(3, 4), std::array{o}), 1, 2).empty);
}
