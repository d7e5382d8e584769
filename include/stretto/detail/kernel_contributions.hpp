// kernel_contributions.hpp - atomic contributions of kernel items to array elements on the host.
#pragma once

#include <stretto/kernel_code.hpp>
#include <stretto/reduction_operator.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::kernels {

/// The kind of a built-in operator; none for an operator of the program.
template <class Op>
inline constexpr fold_operator fold_of = fold_operator::none;
template <class T>
inline constexpr fold_operator fold_of<sum<T>> = fold_operator::sum;
template <class T>
inline constexpr fold_operator fold_of<product<T>> = fold_operator::product;
template <class T>
inline constexpr fold_operator fold_of<minimum<T>> = fold_operator::minimum;
template <class T>
inline constexpr fold_operator fold_of<maximum<T>> = fold_operator::maximum;
template <class T>
inline constexpr fold_operator fold_of<bit_and<T>> = fold_operator::bit_and;
template <class T>
inline constexpr fold_operator fold_of<bit_or<T>> = fold_operator::bit_or;
template <class T>
inline constexpr fold_operator fold_of<bit_xor<T>> = fold_operator::bit_xor;

/// An operator that STRETTO_DEVICE_OPERATOR defines.
template <class Op>
concept own_operator = requires {
  { Op::for_devices() } -> std::same_as<const device_operator&>;
};

/// Combines a value into an element atomically.
template <class Op, class T>
inline void fold_atomically(T* at, T by) noexcept {
  if constexpr (own_operator<Op>) {
    stretto::detail::fold_atomically<Op>(*at, by);
  } else if constexpr (fold_of<Op> == fold_operator::sum && std::is_integral_v<T>) {
    __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
  } else {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto* const place = reinterpret_cast<word*>(at);
    word old = __atomic_load_n(place, __ATOMIC_RELAXED), next;
    do {
      T value = std::bit_cast<T>(old);
      Op::fold(value, by);
      next = std::bit_cast<word>(value);
      if (next == old) return;  // most contributions to a minimum or maximum change nothing
    } while (!__atomic_compare_exchange_n(place, &old, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  }
}

/// An element that accepts contributions, h(i) << x. It cannot be read, because other items may be contributing.
template <class Op, class T>
class contributed {
 public:
  explicit contributed(T& element) noexcept : element_(element) {}
  void operator<<(T value) const noexcept { fold_atomically<Op>(&element_, value); }

 private:
  T& element_;
};

}  // namespace stretto::kernels

STRETTO_API_END
