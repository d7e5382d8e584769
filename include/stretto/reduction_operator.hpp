// reduction_operator.hpp - reduction operators: sum, product, minimum, maximum, bit operators, and how to write one.
//
//     STRETTO_KERNEL(histogram, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0))) << 1; })
//
//     struct append_digits {  // an operator of the program's own; it does not commute
//       struct digits { std::int64_t value, power; };
//       using lhs_type = std::int64_t;
//       using rhs_type = digits;
//       static rhs_type identity() { return {0, 1}; }
//       static void apply(lhs_type& l, const rhs_type& r) { l = l * r.power + r.value; }
//       static void fold(rhs_type& first, const rhs_type& second) {
//         first = {first.value * second.power + second.value, first.power * second.power};
//       }
//       static constexpr bool is_commutative = false;
//     };
//     static_assert(reduction_operator<append_digits>);
//
// Threads     types without state.
// Invariants  fold is associative. It commutes unless is_commutative is false.
// Source      reduction operators with apply and fold: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 6.
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <concepts>
#include <limits>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// The requirements on a reduction operator, a type without state. lhs_type is the type of the array's elements,
/// rhs_type that of contributions; both are trivially copyable.
///
///   identity   the contribution that changes nothing
///   apply      changes an element by a contribution
///   fold       combines two contributions: applying the result equals applying first and second in this order.
///              Associative
///   is_commutative     optional, a constexpr bool; true if absent
template <class Op>
concept reduction_operator =
    std::is_trivially_copyable_v<typename Op::lhs_type> && std::is_trivially_copyable_v<typename Op::rhs_type> &&
    requires(typename Op::lhs_type& l, typename Op::rhs_type& r, const typename Op::rhs_type& by) {
      { Op::identity() } -> std::convertible_to<typename Op::rhs_type>;
      Op::apply(l, by);
      Op::fold(r, by);
    };

namespace detail {
template <class T, T (*Identity)(), void (*Combine)(T&, const T&)>
struct same_type_operator {
  using lhs_type = T;
  using rhs_type = T;
  static constexpr T identity() { return Identity(); }
  static constexpr void apply(T& l, const T& r) { Combine(l, r); }
  static constexpr void fold(T& l, const T& r) { Combine(l, r); }
};
template <class T>
constexpr T zero() {
  return T{};
}
template <class T>
constexpr T one() {
  return T{1};
}
template <class T>
constexpr T all_bits() {
  return static_cast<T>(~T{});
}
template <class T>
constexpr T largest() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
template <class T>
constexpr T smallest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}
template <class T>
constexpr void add(T& l, const T& r) {
  l = static_cast<T>(l + r);
}
template <class T>
constexpr void multiply(T& l, const T& r) {
  l = static_cast<T>(l * r);
}
template <class T>
constexpr void keep_less(T& l, const T& r) {
  l = r < l ? r : l;
}
template <class T>
constexpr void keep_more(T& l, const T& r) {
  l = l < r ? r : l;
}
template <class T>
constexpr void and_bits(T& l, const T& r) {
  l = static_cast<T>(l & r);
}
template <class T>
constexpr void or_bits(T& l, const T& r) {
  l = static_cast<T>(l | r);
}
template <class T>
constexpr void xor_bits(T& l, const T& r) {
  l = static_cast<T>(l ^ r);
}
}  // namespace detail

namespace detail {

/// A lock of the element at this address, for types that the processor cannot exchange atomically.
void lock_element(const void* address) noexcept;
void unlock_element(const void* address) noexcept;

template <class Op>
void fold_atomically(typename Op::rhs_type& target, const typename Op::rhs_type& by) {
  using rhs = typename Op::rhs_type;
  if constexpr (sizeof(rhs) == 1 || sizeof(rhs) == 2 || sizeof(rhs) == 4 || sizeof(rhs) == 8) {
    std::atomic_ref<rhs> shared(target);
    rhs before = shared.load(std::memory_order_relaxed), then;
    do {
      then = before;
      Op::fold(then, by);
    } while (!shared.compare_exchange_weak(before, then, std::memory_order_relaxed));
  } else {
    lock_element(&target);
    Op::fold(target, by);
    unlock_element(&target);
  }
}

}  // namespace detail

/// The sum; the identity is 0.
template <class T>
struct sum : detail::same_type_operator<T, detail::zero<T>, detail::add<T>> {};
/// The product; the identity is 1.
template <class T>
struct product : detail::same_type_operator<T, detail::one<T>, detail::multiply<T>> {};
/// The smaller value; the identity is infinity, or the largest integer.
template <class T>
struct minimum : detail::same_type_operator<T, detail::largest<T>, detail::keep_less<T>> {};
/// The larger value; the identity is minus infinity, or the smallest integer.
template <class T>
struct maximum : detail::same_type_operator<T, detail::smallest<T>, detail::keep_more<T>> {};
/// Bitwise and; the identity has all bits set.
template <std::integral T>
struct bit_and : detail::same_type_operator<T, detail::all_bits<T>, detail::and_bits<T>> {};
/// Bitwise or; the identity is 0.
template <std::integral T>
struct bit_or : detail::same_type_operator<T, detail::zero<T>, detail::or_bits<T>> {};
/// Bitwise exclusive or; the identity is 0.
template <std::integral T>
struct bit_xor : detail::same_type_operator<T, detail::zero<T>, detail::xor_bits<T>> {};

}  // namespace stretto

STRETTO_API_END
