#include "data/layout.hpp"

#include <doctest/doctest.h>

#include <set>

#include "data/strided_model.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("the span of a layout is exactly from its lowest to its highest byte") {
  CHECK(rc::check([] {
    model::array a(model::random_box(3), *rc::gen::element(1u, 4u, 12u), std::byte{0});
    const auto span = span_of(a.shape);
    std::int64_t low = 0, high = 0;
    model::for_each_point(a.shape.box, [&](const point& p) {
      low = std::min(low, a.shape.offset_of(p));
      high = std::max(high, a.shape.offset_of(p) + a.shape.element_bytes);
    });
    RC_ASSERT(span.from == low);
    RC_ASSERT(span.to == high);
  }));
}

TEST_CASE("a layout that is called injective has no two elements that share a byte") {
  CHECK(rc::check([] {
    const box b = model::random_box(3, 4);
    layout l{b, point(*rc::gen::inRange(-40, 40), *rc::gen::inRange(-40, 40), *rc::gen::inRange(-40, 40)), 2};
    std::set<std::int64_t> used;
    bool shares = false;
    model::for_each_point(b, [&](const point& p) {
      shares = !used.insert(l.offset_of(p)).second || shares;
      shares = !used.insert(l.offset_of(p) + 1).second || shares;
    });
    RC_ASSERT(!(shares && is_injective(l)));
  }));
  CHECK(is_injective(dense_layout(box({0, 0, 0}, {3, 4, 5}), 3, 8)));
  CHECK_FALSE(is_injective({box(0, 4), point(4), 8}));
  CHECK(is_injective({box(0, 1), point(0), 8}));
}

TEST_CASE("C order runs along the last axis and Fortran order along the first") {
  const box b({0, 0, 0}, {3, 4, 5});
  CHECK(dense_layout(b, 3, 8, axis_order::c).stride == point(160, 40, 8));
  CHECK(dense_layout(b, 3, 8, axis_order::fortran).stride == point(8, 24, 96));
}

TEST_CASE("sizes beyond 2^62 bytes are recognised without overflow") {
  const coordinate far = coordinate{1} << 61;
  CHECK(is_beyond_addressing(box({0, 0, 0}, {far, far, far}), 1));
  CHECK(is_beyond_addressing(box(0, far), 2));
  CHECK_FALSE(is_beyond_addressing(box(0, far), 1));
  CHECK_FALSE(is_beyond_addressing(box(), 8));
}
