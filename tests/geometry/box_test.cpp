#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "geometry/small_boxes.hpp"

using namespace stretto;
using small_boxes::bits;

TEST_CASE("a box may be written with one, two or three axes or as an extent") {
  CHECK(box(2, 5) == box::between({2, 0, 0}, {5, 1, 1}));
  CHECK(box({1, 2}, {3, 4}) == box::between({1, 2, 0}, {3, 4, 1}));
  CHECK(box({1, 2, 3}, {4, 5, 6}) == box::between({1, 2, 3}, {4, 5, 6}));
  CHECK(box(extent(3, 4)) == box({0, 0}, {3, 4}));
  CHECK(box::sized({1, 1}, {2, 3}) == box({1, 1}, {3, 4}));
  CHECK(box({1, 2}, {3, 9}).size() == extent(2, 7));
}

TEST_CASE("there is one empty box, however it is written") {
  CHECK(box(5, 5) == box());
  CHECK(box(9, 2) == box());
  CHECK(box({0, 3}, {7, 3}) == box());
  CHECK(box().is_empty());
  CHECK(box().volume() == 0);
  CHECK(box().shifted({4, 4}) == box());
  CHECK(box().widened({4, 4}) == box());
  CHECK(box(0, 4).widened({-2}) == box());
}

TEST_CASE("a box prints as many axes as it needs") {
  CHECK(box(0, 4).text() == "[0,4)");
  CHECK(box({0, 2}, {4, 8}).text() == "[0,4)x[2,8)");
  CHECK(box({0, 0, -1}, {4, 1, 8}).text() == "[0,4)x[0,1)x[-1,8)");
  CHECK(box(0, 1).text() == "[0,1)");
  CHECK(box().text() == "empty");
  std::ostringstream out;
  out << box(3, 4) << ' ' << point(1, -2);
  CHECK(out.str() == "[3,4) (1,-2,0)");
}

TEST_CASE("volumes that no number can hold are the largest number") {
  const coordinate far = coordinate{1} << 61;
  CHECK(box({0, 0}, {1 << 20, 1 << 20}).volume() == std::uint64_t{1} << 40);
  CHECK(box(-far, far).volume() == std::uint64_t{1} << 62);
  CHECK(box({-far, 0}, {far, 4}).volume() == UINT64_MAX);
}

TEST_CASE("boxes work at compile time") {
  static_assert(intersection(box({0, 0}, {4, 4}), box({2, 3}, {9, 9})) == box({2, 3}, {4, 4}));
  static_assert(box(0, 10).contains(point(9)) && !box(0, 10).contains(point(10)));
  static_assert(hull(box(0, 2), box(5, 6)) == box(0, 6));
  CHECK(true);
}

TEST_CASE("box operations are those of sets of points") {
  const bool ok = rc::check([] {
    const box a = *small_boxes::any(), b = *small_boxes::any();
    const auto in_a = bits(a), in_b = bits(b);
    RC_ASSERT(a.volume() == in_a.count());
    RC_ASSERT(a.is_empty() == in_a.none());
    RC_ASSERT((a == b) == (in_a == in_b));
    RC_ASSERT(bits(intersection(a, b)) == (in_a & in_b));
    RC_ASSERT(a.meets(b) == (in_a & in_b).any());
    RC_ASSERT(a.contains(b) == (in_b & ~in_a).none());
    const box h = hull(a, b);
    RC_ASSERT(h.contains(a) && h.contains(b));
    if (!a.is_empty() && !b.is_empty())
      for (int i = 0; i < max_axes; ++i)
        RC_ASSERT(h.length(i) == std::max(a.max()[i], b.max()[i]) - std::min(a.min()[i], b.min()[i]));
  });
  CHECK(ok);
}

TEST_CASE("a difference is what is left, in at most six disjoint boxes") {
  const bool ok = rc::check([] {
    const box a = *small_boxes::any(), b = *small_boxes::any();
    std::vector<box> rest;
    difference(a, b, rest);
    RC_ASSERT(rest.size() <= 6);
    RC_ASSERT(bits(std::span<const box>(rest)) == (bits(a) & ~bits(b)));
    std::size_t points = 0;
    for (const box& r : rest) {
      RC_ASSERT(!r.is_empty());
      points += r.volume();
    }
    RC_ASSERT(points == (bits(a) & ~bits(b)).count());
  });
  CHECK(ok);
}

TEST_CASE("shifting moves every point and widening back restores the box") {
  const bool ok = rc::check([] {
    const box a = *small_boxes::any();
    const point by(2, -1, 5);
    small_boxes::each_point([&](const point& p) { RC_ASSERT(a.contains(p) == a.shifted(by).contains(p + by)); });
    RC_ASSERT(a.widened({1, 2, 3}).widened({-1, -2, -3}) == a);
    RC_ASSERT(a.shifted(by).shifted(point() - by) == a);
  });
  CHECK(ok);
}
