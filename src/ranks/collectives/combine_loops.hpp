// combine_loops.hpp - the operations of MPI on values, and the loops that apply them to arrays.
//
// Threads     pure.
// Cost        a loop over blocks of 64 bytes: the compiler unrolls and vectorizes each block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace stretto::ranks {

// Signed integers are added as unsigned ones, so that sums wrap.
struct add_values {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct multiply_values {
  template <typename T>
  static T apply(T a, T b) {
    // Short integers would be promoted to int, whose products may overflow.
    if constexpr (std::is_same_v<T, std::uint16_t>) return static_cast<T>(unsigned{a} * unsigned{b});
    else return static_cast<T>(a * b);
  }
};
struct smaller_value {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct larger_value {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct common_bits {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct all_bits {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct different_bits {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct both_true {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((a != T(0)) & (b != T(0)));
  }
};
struct any_true {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((a != T(0)) | (b != T(0)));
  }
};
struct one_true {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((a != T(0)) != (b != T(0)));
  }
};

/// A complex number. The product is the schoolbook one: values that are no numbers need no care.
template <typename T>
struct complex_value {
  T re, im;

  friend complex_value operator+(complex_value a, complex_value b) {
    return {static_cast<T>(a.re + b.re), static_cast<T>(a.im + b.im)};
  }
  friend complex_value operator*(complex_value a, complex_value b) {
    return {static_cast<T>(a.re * b.re - a.im * b.im), static_cast<T>(a.re * b.im + a.im * b.re)};
  }
};

template <typename T, typename Operator>
void combine_values(const void* in, void* inout, std::int64_t count) {
  constexpr std::int64_t block = std::max<std::int64_t>(1, 64 / sizeof(T));
  const T* __restrict a = static_cast<const T*>(in);
  T* __restrict b = static_cast<T*>(inout);
  for (; count >= block; count -= block, a += block, b += block) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < block; ++i) b[i] = Operator::apply(a[i], b[i]);
  }
  for (std::int64_t i = 0; i < count; ++i) b[i] = Operator::apply(a[i], b[i]);
}

/// The types of MPI_MINLOC and MPI_MAXLOC: the bytes between the two values stay as they are.
template <typename Value, typename Index>
struct located_value {
  Value value;
  Index index;
};

/// Of equal values the one with the smaller index remains.
template <typename Value, typename Index, typename Choice>
void combine_locations(const void* in, void* inout, std::int64_t count) {
  using located = located_value<Value, Index>;
  const auto* a = static_cast<const located*>(in);
  auto* b = static_cast<located*>(inout);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool are_equal = a[i].value == b[i].value;
    const bool is_chosen = Choice::apply(a[i].value, b[i].value) == a[i].value;
    if (are_equal ? a[i].index < b[i].index : is_chosen) {
      b[i].value = a[i].value;
      b[i].index = a[i].index;
    }
  }
}

}  // namespace stretto::ranks
