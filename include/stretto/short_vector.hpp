// short_vector.hpp - vectors of two or four numbers, such as float4, for array elements, kernel arguments and kernel
// bodies.
//
//     STRETTO_KERNEL(push, (in<float4> force, inout<float4> position, float dt), {
//       int i = global_id(0);
//       float4 step = dt * force(i);
//       step.w = 0;
//       position(i) += step;
//     })
//     void push_all(const object<float4>& force, const object<float4>& position) {
//       launch(push, position.elements(), force, position, 0.01f);
//     }
//
// A vector has components x and y, or x, y, z and w. The operators + - * / work component by component, on two vectors
// or a vector and a number. As in OpenCL, the number must not have a wider type than the components: with a float4 v,
// write v * 2.0f, not v * 2.0.
//
// Threads     values.
// Cost        that of the components; compilers use vector instructions of the processor.
// Invariants  size and alignment equal those of the types of the same names in OpenCL and CUDA. Types that differ
//             between these two (three components, four of 64 bits) do not exist.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

template <class T, int Components>
struct short_vector;

namespace detail {

/// Whether OpenCL takes a number of type S together with a vector of T.
template <class T, class S>
inline constexpr bool is_no_wider =
    std::integral<S> ? std::floating_point<T> || sizeof(S) < sizeof(T) ||
                           (sizeof(S) == sizeof(T) && (std::is_unsigned_v<T> || std::is_signed_v<S>))
                     : std::floating_point<T> && sizeof(S) <= sizeof(T);
template <class S>
concept number = std::is_arithmetic_v<S>;

template <class T, number S>
constexpr T component_of(S number) noexcept {
  static_assert(is_no_wider<T, S>,
                "a number that meets a short vector may be of no wider type than the vector's "
                "components: write 2.0f rather than "
                "2.0 with a float4, or (int)(n) with an int4");
  return static_cast<T>(number);
}

}  // namespace detail

#define STRETTO_DETAIL_VECTOR_OPERATOR(o)                                                      \
  friend constexpr short_vector operator o(short_vector a, short_vector b) noexcept {          \
    return a.with(b, [](T x, T y) { return static_cast<T>(x o y); });                          \
  }                                                                                            \
  template <detail::number S>                                                                  \
  friend constexpr short_vector operator o(short_vector a, S b) noexcept {                     \
    return a o short_vector(detail::component_of<T>(b));                                       \
  }                                                                                            \
  template <detail::number S>                                                                  \
  friend constexpr short_vector operator o(S a, short_vector b) noexcept {                     \
    return short_vector(detail::component_of<T>(a)) o b;                                       \
  }                                                                                            \
  constexpr short_vector& operator o##=(short_vector b) noexcept { return *this = *this o b; } \
  template <detail::number S>                                                                  \
  constexpr short_vector& operator o##=(S b) noexcept {                                        \
    return *this = *this o b;                                                                  \
  }

#define STRETTO_DETAIL_VECTOR_OPERATORS \
  STRETTO_DETAIL_VECTOR_OPERATOR(+)     \
  STRETTO_DETAIL_VECTOR_OPERATOR(-)     \
  STRETTO_DETAIL_VECTOR_OPERATOR(*)     \
  STRETTO_DETAIL_VECTOR_OPERATOR(/)     \
  friend constexpr short_vector operator-(short_vector a) noexcept { return short_vector(T(0)) - a; }

/// A vector of two numbers.
template <class T>
struct alignas(2 * sizeof(T)) short_vector<T, 2> {
  T x, y;

  short_vector() = default;  ///< uninitialised
  constexpr short_vector(T its_x, T its_y) noexcept : x(its_x), y(its_y) {}
  constexpr explicit short_vector(T each) noexcept : x(each), y(each) {}
  STRETTO_DETAIL_VECTOR_OPERATORS

 private:
  template <class Change>
  constexpr short_vector with(short_vector b, Change change) const noexcept {
    return {change(x, b.x), change(y, b.y)};
  }
};

/// A vector of four numbers.
template <class T>
struct alignas(4 * sizeof(T)) short_vector<T, 4> {
  T x, y, z, w;

  short_vector() = default;  ///< uninitialised
  constexpr short_vector(T its_x, T its_y, T its_z, T its_w) noexcept : x(its_x), y(its_y), z(its_z), w(its_w) {}
  constexpr explicit short_vector(T each) noexcept : x(each), y(each), z(each), w(each) {}
  STRETTO_DETAIL_VECTOR_OPERATORS

 private:
  template <class Change>
  constexpr short_vector with(short_vector b, Change change) const noexcept {
    return {change(x, b.x), change(y, b.y), change(z, b.z), change(w, b.w)};
  }
};

#undef STRETTO_DETAIL_VECTOR_OPERATORS
#undef STRETTO_DETAIL_VECTOR_OPERATOR

using float2 = short_vector<float, 2>;          // two 32-bit numbers
using float4 = short_vector<float, 4>;          // four 32-bit numbers
using double2 = short_vector<double, 2>;        // two 64-bit numbers
using int2 = short_vector<std::int32_t, 2>;     // two 32-bit integers
using int4 = short_vector<std::int32_t, 4>;     // four 32-bit integers
using uint2 = short_vector<std::uint32_t, 2>;   // two unsigned 32-bit integers
using uint4 = short_vector<std::uint32_t, 4>;   // four unsigned 32-bit integers
using long2 = short_vector<std::int64_t, 2>;    // two 64-bit integers
using ulong2 = short_vector<std::uint64_t, 2>;  // two unsigned 64-bit integers

namespace detail {

/// The type of the components of a vector; void for every other type.
template <class T>
struct component {
  using type = void;
};
template <class T, int Components>
struct component<short_vector<T, Components>> {
  using type = T;
};
template <class T>
concept short_vector_type = !std::is_void_v<typename component<T>::type>;

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
