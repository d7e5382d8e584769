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

#include <array>
#include <concepts>
#include <cstdint>

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

struct all {
  box operator()(const box& part, const box& elements) const { return part.is_empty() ? box() : elements; }
};
struct fixed {
  box always;
  box operator()(const box& part, const box& elements) const { return part.is_empty() ? box() : intersection(always, elements); }
};
struct transposed {
  std::array<std::uint8_t, max_axes> by;
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min, max;
    for (int a = 0; a < max_axes; ++a) {
      const int from = by[static_cast<std::size_t>(a)];
      min[a] = part.min()[from], max[a] = part.max()[from];
    }
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

/// Every element, for each part.
inline constexpr mappers::all all{};
/// The same elements, for each part.
constexpr mappers::fixed fixed(const box& always) { return {always}; }
/// The element of the item's id with axes 0 and 1 exchanged; or whose axis a is the item's axis by[a], each of which is given once.
inline constexpr mappers::transposed transposed{{1, 0, 2}};
consteval mappers::transposed transposed_by(std::uint8_t by0, std::uint8_t by1, std::uint8_t by2) {
  if (by0 > 2 || by1 > 2 || by2 > 2 || by0 == by1 || by0 == by2 || by1 == by2) throw "transposed_by takes each of the axes 0, 1 and 2 once";
  return {{by0, by1, by2}};
}

/// Gives a box of elements for a part of a range; told the array's elements, too, if it takes them.
template <class M>
concept mapper = requires(const M& m, const box& b) {
  { m(b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b) } -> std::convertible_to<box>;
};

}  // namespace stretto
