// numbers.hpp - numbers of their own types, so that one cannot stand for another.
//
//     enum class round_number : std::uint64_t {};  // 0: none
//     round_number last{};
//     last = base::next(last);
//
// Such an enumeration is compared, hashed, and sent in messages as its number is.
#pragma once

#include <type_traits>

namespace stretto::base {

template <class E>
  requires std::is_enum_v<E>
constexpr std::underlying_type_t<E> value_of(E number) noexcept {
  return static_cast<std::underlying_type_t<E>>(number);
}

template <class E>
  requires std::is_enum_v<E>
constexpr E next(E number) noexcept {
  return static_cast<E>(value_of(number) + 1);
}

template <class E>
  requires std::is_enum_v<E>
constexpr E previous(E number) noexcept {
  return static_cast<E>(value_of(number) - 1);
}

}  // namespace stretto::base
