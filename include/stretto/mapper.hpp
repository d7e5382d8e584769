// mapper.hpp - which elements of an array a part of a kernel's range uses.
//
//     launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.25f);
//     launch(multiply, c.elements(), a(slice(1)), b, c(one_to_one));
//     launch(reversed, whole, x([n](const box& part) { return box(n - part.max()[0], n - part.min()[0]); }), y(one_to_one));
//
// A mapper is called with a part of the range, in items, and gives a box of elements. Those of this header keep to the array's
// own elements: what reaches beyond is cut off.
//
// Threads     values; a mapper is called in the call of launch only.
// Source      range mappers: Celerity, whose names these are.
#pragma once

#include <stretto/box.hpp>

#include <concepts>

namespace stretto {

namespace mappers {

struct one_to_one {
  box operator()(const box& part, const box& elements) const { return intersection(part, elements); }
};
struct neighborhood {
  point border;
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    for (int a = 0; a < max_axes; ++a) min[a] -= border[a], max[a] += border[a];
    return intersection(box::between(min, max), elements);
  }
};
struct slice {
  int axis;
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    min[axis] = elements.min()[axis], max[axis] = elements.max()[axis];
    return intersection(box::between(min, max), elements);
  }
};

}  // namespace mappers

/// The element of the item's own id.
inline constexpr mappers::one_to_one one_to_one{};
/// Also those up to `border` away from it, along every axis; or along each axis by its own.
constexpr mappers::neighborhood neighborhood(coordinate border) { return {{border, border, border}}; }
constexpr mappers::neighborhood neighborhood(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// All of the row, or column, or pillar, through it: every element along this axis.
constexpr mappers::slice slice(int axis) { return {axis}; }

/// Gives a box of elements for a part of a range; told the array's elements, too, if it takes them.
template <class M>
concept mapper = requires(const M& m, const box& b) {
  { m(b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b) } -> std::convertible_to<box>;
};

}  // namespace stretto
