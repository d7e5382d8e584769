// reduction_operator.hpp - operators that combine values: of reductions, and of kernels that contribute to them.
//
//     auto r = reduction_instance<sum<double>>::create(at(memory), box(0, n));                        // reduce.hpp
//     STRETTO_KERNEL(histogram, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0))) << 1; }) // kernel.hpp
//     host_task(x.elements(), fold, x.in(one_to_one), most.reduce<maximum<double>>());                 // host_task.hpp
//
// Threads     types without state.
// Invariants  fold is associative; the order of what is folded matters only where is_commutative says so.
// Source      reduction operators with apply and fold: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 6.
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <concepts>
#include <limits>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// A type with two operations and no state: apply changes a left-hand side by a right-hand side; fold combines two
/// right-hand sides so that applying the result is applying one after the other. fold is associative.
///
///     struct count_words {
///       using lhs_type = tally;  using rhs_type = word_stats;
///       static rhs_type identity();                                 // apply(l, identity()) leaves l as it is
///       static void apply(lhs_type& l, const rhs_type& r);
///       static void fold(rhs_type& first, const rhs_type& second);
///       static constexpr bool is_commutative = false;               // optional; true if absent
///     };
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

/// For right-hand sides that the processor cannot exchange atomically.
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

/// Adds; the identity is 0.
template <class T>
struct sum : detail::same_type_operator<T, detail::zero<T>, detail::add<T>> {};
/// Multiplies; the identity is 1.
template <class T>
struct product : detail::same_type_operator<T, detail::one<T>, detail::multiply<T>> {};
/// Keeps the smaller value.
template <class T>
struct minimum : detail::same_type_operator<T, detail::largest<T>, detail::keep_less<T>> {};
/// Keeps the larger value.
template <class T>
struct maximum : detail::same_type_operator<T, detail::smallest<T>, detail::keep_more<T>> {};
/// And of all bits; the identity has all bits set.
template <std::integral T>
struct bit_and : detail::same_type_operator<T, detail::all_bits<T>, detail::and_bits<T>> {};
/// Or of all bits; the identity is 0.
template <std::integral T>
struct bit_or : detail::same_type_operator<T, detail::zero<T>, detail::or_bits<T>> {};
/// Exclusive or of all bits; the identity is 0.
template <std::integral T>
struct bit_xor : detail::same_type_operator<T, detail::zero<T>, detail::xor_bits<T>> {};

}  // namespace stretto

STRETTO_API_END
