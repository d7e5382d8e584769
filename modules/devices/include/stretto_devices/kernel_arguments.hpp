// kernel_arguments.hpp - the arguments of forasync: instances become the arrays of their device, other values are
// passed as they are.
#pragma once

#include <stretto_devices/lent_call.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace stretto::devices {

template <class T>
inline constexpr bool is_array_argument = false;
template <class T, std::size_t D>
inline constexpr bool is_array_argument<instance<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_array_argument<only_read_instance<T, D>> = true;

/// The instances among the arguments, in order.
template <class... A>
auto arrays_among(const A&... given) {
  const auto one = []<class X>(const X& x) {
    if constexpr (is_array_argument<X>) return std::tuple<X>(x);
    else return std::tuple<>();
  };
  return std::tuple_cat(one(given)...);
}
/// The other arguments, in order.
template <class... A>
auto values_among(const A&... given) {
  const auto one = []<class X>(const X& x) {
    if constexpr (is_array_argument<X>) return std::tuple<>();
    else return std::tuple<X>(x);
  };
  return std::tuple_cat(one(given)...);
}

/// Calls `set(value)` for each argument in its original order: the native array in place of an instance.
template <class... A, class Set, class Arrays, class Values>
void each_argument(Set&& set, const Arrays& arrays, const Values& values) {
  const auto from = [&]<std::size_t I, std::size_t Array, std::size_t Value>(
                        const auto& self, std::integral_constant<std::size_t, I>,
                        std::integral_constant<std::size_t, Array>, std::integral_constant<std::size_t, Value>) {
    if constexpr (I < sizeof...(A)) {
      constexpr bool is_array = is_array_argument<std::tuple_element_t<I, std::tuple<A...>>>;
      if constexpr (is_array) set(std::get<Array>(arrays));
      else set(std::get<Value>(values));
      self(self, std::integral_constant<std::size_t, I + 1>(), std::integral_constant<std::size_t, Array + is_array>(),
           std::integral_constant<std::size_t, Value + !is_array>());
    }
  };
  using zero = std::integral_constant<std::size_t, 0>;
  from(from, zero(), zero(), zero());
}

/// A range as drivers count it: their first axis is the last one of the range.
struct driver_range {
  explicit driver_range(const kernel_range& r) noexcept;
  int dimensions = 1;
  std::size_t items[3] = {1, 1, 1};  // along each axis; of groups: the number of groups
  std::size_t group[3] = {1, 1, 1};
  bool is_of_groups = false;
};

}  // namespace stretto::devices
