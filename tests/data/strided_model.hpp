// strided_model.hpp - random boxes and layouts with their memory, and element-by-element access to compare with.
#pragma once

#include <rapidcheck.h>

#include <numeric>
#include <vector>

#include "data/layout.hpp"

namespace stretto::data::model {

inline box random_box(unsigned dimensions, coordinate longest = 7) {
  point min, max(1, 1, 1);
  for (unsigned a = 0; a < dimensions; ++a) {
    min[static_cast<int>(a)] = *rc::gen::inRange<coordinate>(-20, 20);
    max[static_cast<int>(a)] = min[static_cast<int>(a)] + *rc::gen::inRange<coordinate>(0, longest + 1);
  }
  return box::between(min, max);
}

inline box random_part(const box& whole) {
  if (whole.is_empty()) return whole;
  point min, max;
  for (int a = 0; a < 3; ++a) {
    min[a] = *rc::gen::inRange<coordinate>(whole.min()[a], whole.max()[a]);
    max[a] = *rc::gen::inRange<coordinate>(min[a], whole.max()[a] + 1);
  }
  return box::between(min, max);
}

/// Memory for a layout with any order of axes, gaps and negative strides; every byte starts as `background`.
struct array {
  layout shape;
  std::vector<std::byte> bytes;
  std::int64_t before = 0;

  array(const box& b, std::uint32_t element, std::byte background) {
    shape = {b, point(), element};
    std::array<int, 3> axes{0, 1, 2};
    const int shuffle = *rc::gen::inRange(0, 6);
    for (int i = 0; i < shuffle; ++i) std::next_permutation(axes.begin(), axes.end());
    std::int64_t step = element;
    for (const int a : axes) {
      step += element * *rc::gen::element(0, 0, 1, 3);
      shape.stride[a] = *rc::gen::inRange(0, 4) == 0 ? -step : step;
      step *= std::max<coordinate>(b.length(a), 1);
    }
    const auto span = span_of(shape);
    before = -span.from;
    bytes.assign(static_cast<std::size_t>(span.to - span.from), background);
  }
  operand as_operand() { return {bytes.data() + before, shape}; }
  std::byte* at(const point& p) { return bytes.data() + before + shape.offset_of(p); }
};

template <class Body>
void for_each_point(const box& b, Body&& body) {
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
    for (coordinate j = b.min()[1]; j < b.max()[1]; ++j)
      for (coordinate k = b.min()[2]; k < b.max()[2]; ++k) body(point(i, j, k));
}

}  // namespace stretto::data::model
