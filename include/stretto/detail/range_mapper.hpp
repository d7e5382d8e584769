// range_mapper.hpp - the untyped form of mappers of launches on buffers, for the compiled core.
#pragma once

#include <stretto/buffer_mapper.hpp>
#include <stretto/mapper.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The untyped form of a mapper.
struct range_mapper {
  enum class kind : std::uint8_t {
    one_to_one,
    neighborhood,
    star,
    wrapped,
    slice,
    all,
    fixed,
    transposed,
    even_split,
    custom
  };
  using function = std::function<std::vector<box>(const box& chunk, const box& elements, const box& range)>;

  kind is = kind::all;
  point border = {};
  int axis = 0;
  box always = {};
  std::array<std::uint8_t, max_axes> by = {};
  std::shared_ptr<const function> custom = {};
  bool lasts = false;  // the function is equal in every launch and has no state
};

inline range_mapper to_range_mapper(mappers::one_to_one) { return {.is = range_mapper::kind::one_to_one}; }
inline range_mapper to_range_mapper(mappers::neighborhood m) {
  return {.is = range_mapper::kind::neighborhood, .border = m.border};
}
inline range_mapper to_range_mapper(mappers::star m) { return {.is = range_mapper::kind::star, .border = m.border}; }
inline range_mapper to_range_mapper(mappers::wrapped m) {
  return {.is = range_mapper::kind::wrapped, .border = m.border};
}
inline range_mapper to_range_mapper(mappers::slice m) { return {.is = range_mapper::kind::slice, .axis = m.axis}; }
inline range_mapper to_range_mapper(mappers::all) { return {.is = range_mapper::kind::all}; }
inline range_mapper to_range_mapper(const mappers::fixed& m) {
  return {.is = range_mapper::kind::fixed, .always = m.always};
}
inline range_mapper to_range_mapper(mappers::transposed m) {
  return {.is = range_mapper::kind::transposed, .by = m.by};
}
inline range_mapper to_range_mapper(mappers::even_split) { return {.is = range_mapper::kind::even_split}; }

/// A function of the program that returns a box, or several, for a chunk.
template <class M>
std::vector<box> boxes_of(const M& by, const box& chunk, const box& elements, const box& range) {
  const auto used = call_mapper(by, chunk, elements, range);
  if constexpr (std::convertible_to<decltype(used), box>) return {used};
  else return {std::begin(used), std::end(used)};
}
template <class M>
concept mapping_function = requires(const M& m, const box& b) { boxes_of(m, b, b, b); };

template <mapping_function M>
range_mapper to_range_mapper(const M& m) {
  const auto make = [](const M& by) {
    return std::make_shared<const range_mapper::function>(
        [by](const box& chunk, const box& elements, const box& range) { return boxes_of(by, chunk, elements, range); });
  };
  if constexpr (std::is_empty_v<M> && std::is_default_constructible_v<M>) {
    static const auto same = make(m);  // its results are cached
    return {.is = range_mapper::kind::custom, .custom = same, .lasts = true};
  } else {
    return {.is = range_mapper::kind::custom, .custom = make(m)};
  }
}

}  // namespace stretto::detail

STRETTO_API_END
