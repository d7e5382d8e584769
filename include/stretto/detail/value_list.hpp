// value_list.hpp - values of several types in one object, as std::tuple: without its constructors, for which a compiler
// instantiates a hundred templates. Each kernel and each launch has such lists.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

template <std::size_t I, class T>
struct listed_value {
  T value;
};

template <class Indices, class... T>
struct indexed_values;
template <std::size_t... I, class... T>
struct indexed_values<std::index_sequence<I...>, T...> : listed_value<I, T>... {};

/// An aggregate: value_list<int, double>{{1}, {2.5}}.
template <class... T>
using value_list = indexed_values<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class T>
constexpr T& value_at(listed_value<I, T>& one) noexcept {
  return one.value;
}
template <std::size_t I, class T>
constexpr const T& value_at(const listed_value<I, T>& one) noexcept {
  return one.value;
}

}  // namespace stretto::detail

STRETTO_API_END
