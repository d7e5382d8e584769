#include <doctest/doctest.h>

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <sstream>

#include "geometry/small_boxes.hpp"

using namespace stretto;
using small_boxes::bits;

namespace {

// Canonical, as the head of region.hpp says, checked without the code that makes it so.
bool is_canonical(const region& r) {
  const auto& boxes = r.boxes();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].is_empty()) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (boxes[i].meets(boxes[j]) || !(boxes[j] < boxes[i])) return false;
      // Along axis 0, boxes belong to the same band or to bands that do not overlap.
      const bool same = boxes[i].min()[0] == boxes[j].min()[0] && boxes[i].max()[0] == boxes[j].max()[0];
      if (!same && boxes[i].min()[0] < boxes[j].max()[0]) return false;
    }
  }
  return true;
}

using interval_set = boost::icl::interval_set<coordinate>;
interval_set intervals(const std::vector<box>& boxes) {
  interval_set s;
  for (const box& b : boxes) s += boost::icl::interval<coordinate>::right_open(b.min()[0], b.max()[0]);
  return s;
}
bool equal(const region& r, const interval_set& s) {
  if (r.boxes().size() != s.iterative_size()) return false;
  return std::equal(r.boxes().begin(), r.boxes().end(), s.begin(),
                    [](const box& b, const auto& i) { return b == box(i.lower(), i.upper()); });
}
rc::Gen<std::vector<box>> several_intervals() {
  return rc::gen::container<std::vector<box>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-100, 100), rc::gen::inRange(0, 30)),
                   [](const auto& p) { return box(p.first, p.first + p.second); }));
}

}  // namespace

TEST_CASE("equal sets are equal values, however they came about") {
  CHECK(region{box(0, 5), box(5, 9)} == region(box(0, 9)));
  CHECK(region{box({0, 0}, {2, 2}), box({0, 2}, {2, 4}), box({2, 0}, {4, 4})} == region(box({0, 0}, {4, 4})));
  CHECK(((region(box(0, 9)) - box(3, 4)) | box(3, 4)) == region(box(0, 9)));
  CHECK((region(box(0, 9)) - box(0, 9)) == region());
  CHECK(region(box()) == region());
}

TEST_CASE("a region prints its boxes in order") {
  std::ostringstream out;
  out << region{box(5, 9), box(0, 2)} << ", " << region();
  CHECK(out.str() == "[0,2) + [5,9), empty");
}

TEST_CASE("a hole in the middle leaves three bands") {
  const region r = region(box({0, 0}, {9, 9})) - box({3, 3}, {6, 6});
  CHECK(r.text() == "[0,3)x[0,9) + [3,6)x[0,3) + [3,6)x[6,9) + [6,9)x[0,9)");
  CHECK(r.volume() == 72);
  CHECK(r.bounds() == box({0, 0}, {9, 9}));
  CHECK(r.contains(point(3, 2)));
  CHECK_FALSE(r.contains(point(4, 4)));
  CHECK(r.contains(region(box({0, 0}, {3, 9}))));
  CHECK_FALSE(r.contains(region(box({0, 0}, {4, 4}))));
}

TEST_CASE("region operations are those of sets of points, in one to three dimensions") {
  const bool ok = rc::check([] {
    const auto list_a = *small_boxes::several(), list_b = *small_boxes::several();
    const region a{std::span(list_a)}, b{std::span(list_b)};
    const auto in_a = bits(std::span<const box>(list_a)), in_b = bits(std::span<const box>(list_b));
    RC_ASSERT(bits(a) == in_a);
    RC_ASSERT(bits(a | b) == (in_a | in_b));
    RC_ASSERT(bits(a & b) == (in_a & in_b));
    RC_ASSERT(bits(a - b) == (in_a & ~in_b));
    for (const region& r : {a, b, a | b, a & b, a - b}) {
      RC_ASSERT(is_canonical(r));
      RC_ASSERT(r.volume() == bits(r).count());
    }
    RC_ASSERT((a == b) == (in_a == in_b));
    RC_ASSERT(a.contains(b) == (in_b & ~in_a).none());
    RC_ASSERT(a.meets(b) == (in_a & in_b).any());
    const box one = *small_boxes::any();
    RC_ASSERT(a.meets(one) == (in_a & bits(one)).any());
    small_boxes::each_point([&](const point& p) { RC_ASSERT(a.contains(p) == in_a[small_boxes::bit(p)]); });
  });
  CHECK(ok);
}

TEST_CASE("different ways to the same set give the same boxes") {
  const bool ok = rc::check([] {
    const region a = *small_boxes::any_region(), b = *small_boxes::any_region(), c = *small_boxes::any_region();
    RC_ASSERT((a | b) == (b | a));
    RC_ASSERT(((a | b) | c) == (a | (b | c)));
    RC_ASSERT((a & (b | c)) == ((a & b) | (a & c)));
    RC_ASSERT((a - b) == (a - (a & b)));
    RC_ASSERT(((a - b) | (a & b)) == a);
    RC_ASSERT(((a | b) - b) == (a - b));
    RC_ASSERT(a.shifted({3, 1, 2}).shifted({-3, -1, -2}) == a);
  });
  CHECK(ok);
}

TEST_CASE("in one dimension regions agree with boost::icl") {
  const bool ok = rc::check([] {
    const auto list_a = *several_intervals(), list_b = *several_intervals();
    const region a{std::span(list_a)}, b{std::span(list_b)};
    const interval_set x = intervals(list_a), y = intervals(list_b);
    RC_ASSERT(equal(a, x));
    RC_ASSERT(equal(a | b, x | y));
    RC_ASSERT(equal(a & b, x & y));
    RC_ASSERT(equal(a - b, x - y));
  });
  CHECK(ok);
}
