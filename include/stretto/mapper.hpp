// mapper.hpp - which elements of an array a part of a kernel's range uses.
//
//     launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.25f);
//     launch(multiply, c.elements(), a(slice(1)), b, c(one_to_one));
//     launch(reversed, whole, x([n](const box& part) { return box(n - part.max()[0], n - part.min()[0]); }),
//            y(one_to_one));
//
// A mapper is called with a part of the range, in items, and gives a box of elements. Those of this header keep to the
// array's own elements: what reaches beyond is cut off. A mapper of the program's own is a function of the part, or of
// the part and the array's elements, or of these and the whole range of the launch.
//
// Threads     values; a mapper is called in the call of launch only.
// Source      range mappers: Celerity, whose names these are.
#pragma once

#include <stretto/box.hpp>

#include <array>
#include <concepts>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

namespace mappers {

/// What one_to_one is.
struct one_to_one {
  /// The elements that this part of the range uses, within those of the array.
  box operator()(const box& part, const box& elements) const { return intersection(part, elements); }
};
/// What neighborhood(...) makes.
struct neighborhood {
  point border;
  /// The elements that this part of the range uses, within those of the array.
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    for (int a = 0; a < max_axes; ++a) min[a] -= border[a], max[a] += border[a];
    return intersection(box::between(min, max), elements);
  }
};
/// What slice(...) makes.
struct slice {
  int axis;
  /// The elements that this part of the range uses, within those of the array.
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    for (int a = 0; a < max_axes; ++a)  // an axis that the array does not have is [0,1)
      if (a == axis || (elements.min()[a] == 0 && elements.max()[a] == 1))
        min[a] = elements.min()[a], max[a] = elements.max()[a];
    return intersection(box::between(min, max), elements);
  }
};

/// What all is.
struct all {
  /// The elements that this part of the range uses, within those of the array.
  box operator()(const box& part, const box& elements) const { return part.is_empty() ? box() : elements; }
};
/// What fixed(...) makes.
struct fixed {
  box always;
  /// The elements that this part of the range uses, within those of the array.
  box operator()(const box& part, const box& elements) const {
    return part.is_empty() ? box() : intersection(always, elements);
  }
};
/// What transposed is, and transposed_by(...) makes.
struct transposed {
  std::array<std::uint8_t, max_axes> by;
  /// The elements that this part of the range uses, within those of the array.
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
/// The element of the item's id with axes 0 and 1 exchanged; or whose axis a is the item's axis by[a], each of which is
/// given once.
inline constexpr mappers::transposed transposed{{1, 0, 2}};
/// As transposed, with the order of the axes given: each of 0, 1 and 2 once.
consteval mappers::transposed transposed_by(std::uint8_t by0, std::uint8_t by1, std::uint8_t by2) {
  if (by0 > 2 || by1 > 2 || by2 > 2 || by0 == by1 || by0 == by2 || by1 == by2)
    throw "transposed_by takes each of the axes 0, 1 and 2 once";
  return {{by0, by1, by2}};
}

/// Gives a box of elements for a part of a range; told the array's elements, and the whole range, too, if it takes
/// them.
template <class M>
concept mapper = requires(const M& m, const box& b) {
  { m(b, b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b) } -> std::convertible_to<box>;
};

/// A tag of launches and host tasks: the range is cut only where its coordinate along each axis is a multiple of
/// these, so that items which
/// share an element are computed together.
///
///     launch(constrain_split(2), pairs, box(0, 10), x(one_to_one), y([](const box& part) {
///       return box(part.min()[0] / 2, (part.max()[0] + 1) / 2);
///     }));
///
/// Each is 1 or more, or the launch throws B35. Of a group kernel they count items, and groups stay whole, too.
struct split_constraint {
  extent multiple;
};
/// The tag `constrain_split(n)`: cuts of the range lie on multiples of these numbers of items.
constexpr split_constraint constrain_split(coordinate along0, coordinate along1 = 1, coordinate along2 = 1) {
  return {extent(along0, along1, along2)};
}

namespace detail {

/// Calls a mapper with as much as it takes.
template <class M>
auto call_mapper(const M& m, const box& part, const box& elements, const box& range) {
  if constexpr (requires { m(part, elements, range); }) return m(part, elements, range);
  else if constexpr (requires { m(part, elements); }) return m(part, elements);
  else return m(part);
}

/// How what a mapper names follows the axes of the range, for the checks of a launch.
struct mapper_form {
  enum class kind : std::uint8_t { unknown, one_to_one, around, slice, transposed };
  kind is = kind::unknown;
  int axis = 0;                                       // of a slice
  std::array<std::uint8_t, max_axes> by = {0, 1, 2};  // axis a of the array follows axis by[a] of the range
  point border = {};                                  // of `around`
};
template <class M>
constexpr mapper_form form_of(const M&) noexcept {
  return {};
}
constexpr mapper_form form_of(const mappers::one_to_one&) noexcept { return {.is = mapper_form::kind::one_to_one}; }
constexpr mapper_form form_of(const mappers::neighborhood& m) noexcept {
  return {.is = mapper_form::kind::around, .border = m.border};
}
constexpr mapper_form form_of(const mappers::slice& m) noexcept {
  return {.is = mapper_form::kind::slice, .axis = m.axis};
}
constexpr mapper_form form_of(const mappers::transposed& m) noexcept {
  return {.is = mapper_form::kind::transposed, .by = m.by};
}

/// Whether the mapper can be used for an array of so many axes, as far as types say.
template <class M, std::size_t D>
inline constexpr bool fits_axes = !(std::same_as<M, mappers::transposed> && D == 1);

}  // namespace detail

}  // namespace stretto

STRETTO_API_END
