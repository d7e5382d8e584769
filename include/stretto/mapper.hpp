// mapper.hpp - mappers: functions that give the elements of an array that a part of a kernel's range uses.
//
//     STRETTO_KERNEL(multiply, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
//       float sum = 0;
//       for (int k = 0; k < n; ++k) sum += a(global_id(0), k) * b(k, global_id(1));
//       c(global_id(0), global_id(1)) = sum;
//     })
//     STRETTO_KERNEL(reversed, (in<float> x, out<float> y, int n), { y(global_id(0)) = x(n - 1 - global_id(0)); })
//
//     void multiply_all(const buffer<float, 2>& a, const buffer<float, 2>& b, const buffer<float, 2>& c, int n) {
//       launch(multiply, c.elements(), a(slice(1)), b(all), c(one_to_one), n);  // of a the rows of the chunk
//     }
//     void reverse(const buffer<float>& x, const buffer<float>& y, int n) {  // a mapper of the program
//       const auto from_end = [n](const box& part) { return box(n - part.max()[0], n - part.min()[0]); };
//       launch(reversed, box(0, n), x(from_end), y(one_to_one), n);
//     }
//
// A mapper gets a part of the range, in items, and returns a box of elements. The mappers of this header clip their
// result to the box of the array. A mapper of the program is a function of the part; of the part and the array's box;
// or of these and the whole range of the launch.
//
// Threads     values. Only the call of launch itself calls a mapper.
// Source      range mappers: Celerity, whose names these are.
#pragma once

#include <stretto/box.hpp>

#include <array>
#include <concepts>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

namespace mappers {

/// The type of one_to_one.
struct one_to_one {
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
  box operator()(const box& part, const box& elements) const { return intersection(part, elements); }
};
/// The type of neighborhood(...).
struct neighborhood {
  point border;  // elements on each side, by axis
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    for (int a = 0; a < max_axes; ++a) min[a] -= border[a], max[a] += border[a];
    return intersection(box::between(min, max), elements);
  }
};
/// The type of slice(...).
struct slice {
  int axis;  // the axis along which all elements are used
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
  box operator()(const box& part, const box& elements) const {
    if (part.is_empty()) return {};
    point min = part.min(), max = part.max();
    for (int a = 0; a < max_axes; ++a)  // an axis that the array does not have is [0,1)
      if (a == axis || (elements.min()[a] == 0 && elements.max()[a] == 1))
        min[a] = elements.min()[a], max[a] = elements.max()[a];
    return intersection(box::between(min, max), elements);
  }
};

/// The type of all.
struct all {
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
  box operator()(const box& part, const box& elements) const { return part.is_empty() ? box() : elements; }
};
/// The type of fixed(...).
struct fixed {
  box always;  // the elements for every part
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
  box operator()(const box& part, const box& elements) const {
    return part.is_empty() ? box() : intersection(always, elements);
  }
};
/// The type of transposed and transposed_by(...).
struct transposed {
  std::array<std::uint8_t, max_axes> by;
  /// The elements that this part of the range uses, clipped to the box of the array. Never throws.
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

/// Maps each item to the element at its own id.
inline constexpr mappers::one_to_one one_to_one{};
/// Maps each item to the box of elements up to `border` away from its id, along every axis, or with a number for each
/// axis.
constexpr mappers::neighborhood neighborhood(coordinate border) { return {{border, border, border}}; }
constexpr mappers::neighborhood neighborhood(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// Maps each item to all elements along one axis through its id, such as its row or column.
constexpr mappers::slice slice(int axis) { return {axis}; }

/// Maps every item to all elements of the array.
inline constexpr mappers::all all{};
/// Maps every item to the same box of elements.
constexpr mappers::fixed fixed(const box& always) { return {always}; }
/// Maps each item to the element at its id with axes 0 and 1 exchanged.
inline constexpr mappers::transposed transposed{{1, 0, 2}};
/// As transposed, for any order of axes: axis a of the element is axis by[a] of the item. Each of 0, 1 and 2 is given
/// once; otherwise the call does not compile.
consteval mappers::transposed transposed_by(std::uint8_t by0, std::uint8_t by1, std::uint8_t by2) {
  if (by0 > 2 || by1 > 2 || by2 > 2 || by0 == by1 || by0 == by2 || by1 == by2)
    throw "transposed_by takes each of the axes 0, 1 and 2 once";
  return {{by0, by1, by2}};
}

/// The requirements on a mapper: a function that returns a box, called with a part of the range, and, if it takes them,
/// the box of the array and the whole range.
template <class M>
concept mapper = requires(const M& m, const box& b) {
  { m(b, b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b, b) } -> std::convertible_to<box>;
} || requires(const M& m, const box& b) {
  { m(b) } -> std::convertible_to<box>;
};

/// The result of constrain_split(...).
struct split_constraint {
  extent multiple;  // numbers of items along each axis
};
/// The tag `constrain_split(n)` of launches and host tasks: the range is split only at multiples of these numbers of
/// items, so that items that share an element stay together. For a group kernel the numbers count items, and groups
/// also stay whole. The launch throws B35 for a number below 1.
///
///     launch(constrain_split(2), pairs, box(0, 10), x(one_to_one), y([](const box& part) {
///       return box(part.min()[0] / 2, (part.max()[0] + 1) / 2);
///     }));
constexpr split_constraint constrain_split(coordinate along0, coordinate along1 = 1, coordinate along2 = 1) {
  return {extent(along0, along1, along2)};
}

namespace detail {

/// Calls a mapper with as many arguments as it takes.
template <class M>
auto call_mapper(const M& m, const box& part, const box& elements, const box& range) {
  if constexpr (requires { m(part, elements, range); }) return m(part, elements, range);
  else if constexpr (requires { m(part, elements); }) return m(part, elements);
  else return m(part);
}

/// The relation between a mapper's elements and the axes of the range, for the checks of a launch.
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
