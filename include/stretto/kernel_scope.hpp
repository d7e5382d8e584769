// kernel_scope.hpp - the names that kernel bodies use: ids, arrays, mathematical functions, atomics. Group kernels also
// have the names of group_scope.hpp.
//
//     STRETTO_KERNEL(damp, (in<float, 2> u, out<float, 2> v, inout<int> above), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = fmax(u(i, j), 0.5f) * exp(-fabs(u(i, j)));
//       if (u(i, j) > 1.0f) atomic_add(&above(0), 1);
//     })
//     void damp_all(const object<float, 2>& u, const object<float, 2>& v, const object<int>& above) {
//       launch(damp, u.elements(), u, v, above);
//     }
//
// The host compiles a body as a member function of a class derived from one of these, so that the names need no
// using-directive and hide the program's own. Device code gets the same names from a prelude.
//
// Threads     items run in any order and at the same time; all of them share the arrays.
// Cost        an element access: one multiplication and one addition per axis, which compilers hoist out of loops.
// Invariants  items of a launch do not depend on one another; items of a group only from region to region.
#pragma once

#include <stretto/detail/kernel_contributions.hpp>
#include <stretto/detail/kernel_elements.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/reduction_operator.hpp>
#include <stretto/short_vector.hpp>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::kernels {

/// The names in the bodies of all kernels.
template <bool Checked>
struct language {
  using float2 = stretto::float2;
  using float4 = stretto::float4;
  using double2 = stretto::double2;
  using int2 = stretto::int2;
  using int4 = stretto::int4;
  using uint2 = stretto::uint2;
  using uint4 = stretto::uint4;
  using long2 = stretto::long2;
  using ulong2 = stretto::ulong2;

  /// A parameter: an array that the kernel only reads.
  template <device_type T, std::size_t D = 1>
  struct in : elements<const T, D, Checked> {
    using elements<const T, D, Checked>::elements;
    static constexpr access mode = access::in;
  };
  /// A parameter: an array of which the kernel writes every element that the launch names.
  template <device_type T, std::size_t D = 1>
  struct out : elements<T, D, Checked> {
    using elements<T, D, Checked>::elements;
    static constexpr access mode = access::out;
  };
  /// A parameter: an array that the kernel reads and writes.
  template <device_type T, std::size_t D = 1>
  struct inout : elements<T, D, Checked> {
    using elements<T, D, Checked>::elements;
    static constexpr access mode = access::inout;
  };
  /// A parameter: an array to which items contribute, h(i, j) << value, by an operator of reduction_operator.hpp or
  /// STRETTO_DEVICE_OPERATOR. Nothing reads it during the launch.
  template <class Op, std::size_t D = 1>
  class reduce : elements<typename Op::rhs_type, D, Checked> {
    using base = elements<typename Op::rhs_type, D, Checked>;

   public:
    using operation = Op;
    using base::assume_dense_rows;
    using base::axes;
    using base::base;
    using base::reach_by;
    using typename base::element;
    using typename base::pointer;
    static constexpr access mode = access::reduce;
    static_assert(fold_of<Op> != fold_operator::none || own_operator<Op>,
                  "a kernel contributes by sum, product, minimum, maximum, bit_and, bit_or or bit_xor of "
                  "stretto/reduction_operator.hpp, or by "
                  "an operator of the program's own that STRETTO_DEVICE_OPERATOR defines");
    static_assert(own_operator<Op> || (std::is_arithmetic_v<element> && (sizeof(element) == 4 || sizeof(element) == 8)),
                  "a kernel contributes numbers of 32 or 64 bits");

    /// The element at these coordinates. Checked kernels fail with K01 outside of the array.
    template <class... Index>
      requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
    contributed<Op, element> operator()(Index... index) const noexcept(!Checked) {
      return contributed<Op, element>(base::operator()(index...));
    }
  };
  /// A parameter: memory of a group, whose number of elements the launch gives as local_size.
  template <device_type T>
  struct local : elements<T, 1, Checked> {
    using elements<T, 1, Checked>::elements;
    static constexpr access mode = access::local;
  };

  /// Anywhere in a body: lets the kernel treat denormal numbers as zero. Arithmetic on them costs over a hundred cycles
  /// per operation on many processors.
  static void denormals_are_zero() noexcept {}

  /// The square root. Never throws.
  template <std::floating_point T>
  static T sqrt(T x) {
    return std::sqrt(x);
  }
  /// The reciprocal of the square root. Never throws.
  template <std::floating_point T>
  static T rsqrt(T x) {
    return T(1) / std::sqrt(x);
  }
  /// e to the power x. Never throws.
  template <std::floating_point T>
  static T exp(T x) {
    return std::exp(x);
  }
  /// The natural logarithm. Never throws.
  template <std::floating_point T>
  static T log(T x) {
    return std::log(x);
  }
  /// The sine; x in radians. Never throws.
  template <std::floating_point T>
  static T sin(T x) {
    return std::sin(x);
  }
  /// The cosine; x in radians. Never throws.
  template <std::floating_point T>
  static T cos(T x) {
    return std::cos(x);
  }
  /// The tangent; x in radians. Never throws.
  template <std::floating_point T>
  static T tan(T x) {
    return std::tan(x);
  }
  /// The arc tangent, in radians. Never throws.
  template <std::floating_point T>
  static T atan(T x) {
    return std::atan(x);
  }
  /// The hyperbolic tangent. Never throws.
  template <std::floating_point T>
  static T tanh(T x) {
    return std::tanh(x);
  }
  /// The largest integer not above x. Never throws.
  template <std::floating_point T>
  static T floor(T x) {
    return std::floor(x);
  }
  /// The smallest integer not below x. Never throws.
  template <std::floating_point T>
  static T ceil(T x) {
    return std::ceil(x);
  }
  /// The nearest integer; halfway cases away from zero. Never throws.
  template <std::floating_point T>
  static T round(T x) {
    return std::round(x);
  }
  /// The absolute value. Never throws.
  template <std::floating_point T>
  static T fabs(T x) {
    return std::fabs(x);
  }
  /// x to the power y. Never throws.
  template <std::floating_point T>
  static T pow(T x, std::type_identity_t<T> y) {
    return std::pow(x, y);
  }
  /// The angle of the point (x, y), in radians. Never throws.
  template <std::floating_point T>
  static T atan2(T y, std::type_identity_t<T> x) {
    return std::atan2(y, x);
  }
  /// The remainder of x / y, with the sign of x. Never throws.
  template <std::floating_point T>
  static T fmod(T x, std::type_identity_t<T> y) {
    return std::fmod(x, y);
  }
  /// The length of the vector (x, y). Never throws.
  template <std::floating_point T>
  static T hypot(T x, std::type_identity_t<T> y) {
    return std::hypot(x, y);
  }
  /// The smaller number. Never throws.
  template <std::floating_point T>
  static T fmin(T x, std::type_identity_t<T> y) {
    return y < x ? y : x;
  }
  /// The larger number. Never throws.
  template <std::floating_point T>
  static T fmax(T x, std::type_identity_t<T> y) {
    return x < y ? y : x;
  }
  /// x * y + z with one rounding. Never throws.
  template <std::floating_point T>
  static T fma(T x, std::type_identity_t<T> y, std::type_identity_t<T> z) {
    return std::fma(x, y, z);
  }
  /// The smaller integer. Never throws.
  template <std::integral T>
  static T min(T x, std::type_identity_t<T> y) {
    return y < x ? y : x;
  }
  /// The larger integer. Never throws.
  template <std::integral T>
  static T max(T x, std::type_identity_t<T> y) {
    return x < y ? y : x;
  }
  /// The absolute value of an integer. Never throws.
  template <std::integral T>
  static T abs(T x) {
    return x < 0 ? -x : x;
  }

  /// Adds x to the element atomically and returns its value before, with relaxed order. T has 32 or 64 bits. Never
  /// throws.
  template <class T>
  static T atomic_add(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return static_cast<T>(old + x); });
  }
  /// As atomic_add, for the smaller of the element and x. Never throws.
  template <class T>
  static T atomic_min(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return x < old ? x : old; });
  }
  /// As atomic_add, for the larger of the element and x. Never throws.
  template <class T>
  static T atomic_max(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return old < x ? x : old; });
  }

 private:
  template <class T, class Change>
  static T change(T* at, Change&& to) {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "atomics are for 32 and 64 bits");
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto* const place = reinterpret_cast<word*>(at);
    word old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, std::bit_cast<word>(to(std::bit_cast<T>(old))), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return std::bit_cast<T>(old);
  }
};

/// The names in the body of a plain kernel, which runs once per item.
template <bool Checked>
struct item_scope : language<Checked> {
  const kernel_work* launched_;
  std::int64_t id_[3];

  /// The id of this item along an axis. Axis 0 is the slowest.
  std::int64_t global_id(int axis) const noexcept { return id_[axis]; }
  /// The number of items of the launch along an axis.
  std::int64_t global_size(int axis) const noexcept { return launched_->all_max[axis] - launched_->all_min[axis]; }
  /// The first id of the launch along an axis.
  std::int64_t global_min(int axis) const noexcept { return launched_->all_min[axis]; }

  /// The begin, or the end if `ends` is 1, of this item's share of [first, last). For STRETTO_FOREACH; on the host a
  /// share is contiguous.
  std::int64_t share_bound(std::int64_t first, std::int64_t last, std::int64_t ends) const noexcept {
    std::int64_t items = 1, number = 0;
    for (int axis = 0; axis < 3; ++axis) {
      number = number * global_size(axis) + id_[axis] - global_min(axis);
      items *= global_size(axis);
    }
    const std::int64_t length = last > first ? last - first : 0, n = number + ends, longer = length % items;
    return first + length / items * n + (n < longer ? n : longer);
  }
};

}  // namespace stretto::kernels

STRETTO_API_END
