// left_behind.hpp - finds the parts of a type that cannot be serialised.
#pragma once

#include <stretto/compiler.hpp>
#include <stretto/plain_value.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

class field_writer;
class field_sizer;
class field_reader;

namespace detail {

template <class T>
concept has_fields =
    requires(field_writer& w, const T& c) { fields(w, c); } && requires(field_reader& r, T& v) { fields(r, v); };

template <class T>
inline constexpr bool is_unique_ptr = false;
template <class T>
inline constexpr bool is_unique_ptr<std::unique_ptr<T>> = true;

template <class T>
concept container_like = requires(T& c, const T& k) {
  c.clear(), k.size(), k.begin(), k.end();
  typename T::value_type;
} && !tuple_like<T>;
template <class T>
concept map_like = container_like<T> && requires {
  typename T::key_type;
  typename T::mapped_type;
};
template <class T>
concept set_like = container_like<T> && requires { typename T::key_type; } && !map_like<T>;
template <class T>
concept contiguous_like = container_like<T> && requires(T& c) { c.data(), c.resize(1); };

template <class T>
concept plain = plain_value<T> && !tuple_like<T> && !optional_like<T> && !variant_like<T>;

template <class T>
inline constexpr bool is_plain_array = false;
template <class E, std::size_t N>
inline constexpr bool is_plain_array<std::array<E, N>> = plain<E> && !std::is_same_v<E, bool>;

/// A value that converts to exactly a T.
template <class T>
struct exactly {
  template <class U>
    requires std::same_as<std::remove_const_t<U>, T>
  operator U&() const;
};
/// A value that converts to the bases of T only.
template <class T>
struct base_of {
  template <class U>
    requires(std::derived_from<T, std::remove_const_t<U>> && !std::same_as<std::remove_const_t<U>, T>)
  operator U&() const;
};
/// Whether the function fields() of T is that of a base.
template <class T>
concept inherits_fields = requires(field_writer& w, const base_of<T>& b) { fields(w, b); } &&
                          !requires(field_writer& w, const exactly<T>& e) { fields(w, e); };

template <class T>
consteval stays_behind left_behind();
template <class T, std::size_t... I>
consteval stays_behind left_of_parts(std::index_sequence<I...>) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = left_behind<std::remove_cvref_t<std::tuple_element_t<I, T>>>())
                                   : void()),
   ...);
  return found;
}
template <template <class...> class V, class... T>
consteval stays_behind left_of_alternatives(const V<T...>*) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = left_behind<T>()) : void()), ...);
  return found;
}
/// The reason why a value that is exactly a T cannot be serialised.
template <class T>
consteval stays_behind left_of_exact() {
  using enum stays_behind;
  if constexpr (has_fields<T>) return inherits_fields<T> ? inherited_fields : nothing;
  else if constexpr (is_unique_ptr<T>) return left_behind<typename T::element_type>();
  else if constexpr (variant_like<T>) return left_of_alternatives(static_cast<const T*>(nullptr));
  else if constexpr (optional_like<T>) return left_behind<typename T::value_type>();
  else if constexpr (array_like<T>) return left_behind<std::remove_cv_t<typename T::value_type>>();
  else if constexpr (tuple_like<T>) return left_of_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (map_like<T>)
    return left_of_parts<std::pair<typename T::key_type, typename T::mapped_type>>(std::make_index_sequence<2>());
  else if constexpr (container_like<T>) return left_behind<typename T::value_type>();
  else if constexpr (std::is_array_v<T>) return no_fields;
  else return left_by_bytes<T>();
}
/// The reason why a value declared as T, which may be of a derived type, cannot be serialised.
template <class T>
consteval stays_behind left_behind() {
  if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>) return stays_behind::polymorphic;
  else return left_of_exact<T>();
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
