// datatype.hpp - which MPI_Datatype stands for a type of C++.
//
// Threads     pure.
#pragma once

#include <mpi.h>

#include <stretto/plain_value.hpp>

#include <complex>
#include <cstddef>
#include <ranges>
#include <type_traits>

namespace stretto::mpi {

/// MPI's own type for T; MPI_DATATYPE_NULL where there is none.
template <class T>
MPI_Datatype basic_type() noexcept {
  if constexpr (std::is_same_v<T, char>) return MPI_CHAR;
  else if constexpr (std::is_same_v<T, signed char>) return MPI_SIGNED_CHAR;
  else if constexpr (std::is_same_v<T, unsigned char>) return MPI_UNSIGNED_CHAR;
  else if constexpr (std::is_same_v<T, std::byte>) return MPI_BYTE;
  else if constexpr (std::is_same_v<T, bool>) return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<T, short>) return MPI_SHORT;
  else if constexpr (std::is_same_v<T, unsigned short>) return MPI_UNSIGNED_SHORT;
  else if constexpr (std::is_same_v<T, int>) return MPI_INT;
  else if constexpr (std::is_same_v<T, unsigned>) return MPI_UNSIGNED;
  else if constexpr (std::is_same_v<T, long>) return MPI_LONG;
  else if constexpr (std::is_same_v<T, unsigned long>) return MPI_UNSIGNED_LONG;
  else if constexpr (std::is_same_v<T, long long>) return MPI_LONG_LONG;
  else if constexpr (std::is_same_v<T, unsigned long long>) return MPI_UNSIGNED_LONG_LONG;
  else if constexpr (std::is_same_v<T, wchar_t>) return MPI_WCHAR;
  else if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return MPI_CXX_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return MPI_CXX_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<long double>>) return MPI_CXX_LONG_DOUBLE_COMPLEX;
  else return MPI_DATATYPE_NULL;
}

template <class T>
inline constexpr bool is_basic =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::byte> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>> || std::is_same_v<T, std::complex<long double>>;

/// Elements of typed calls: MPI's own types, and other types that are their bytes, as bytes.
template <class T>
concept element = is_basic<T> || (std::is_trivially_copyable_v<T> && !std::is_array_v<T> &&
                                  stretto::detail::address_in<T>() == stretto::detail::stays_behind::nothing);

/// Elements of typed reductions. For others there are raw calls, with a datatype and an operator of the program's.
template <class T>
concept reducible = is_basic<T>;

/// Elements that lie one after another: a vector, an array, a span, a string.
template <class R>
concept elements =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && element<std::ranges::range_value_t<R>>;
template <class R>
concept reducible_elements = elements<R> && reducible<std::ranges::range_value_t<R>>;
/// The same, and they can be written to.
template <class R>
concept room = elements<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// One value, not a range.
template <class T>
concept single = element<T> && !std::ranges::range<T>;

/// How elements of a type are told to MPI: so many of that datatype each.
struct element_type {
  MPI_Datatype is;
  std::size_t each = 1;
};
template <element T>
element_type type_of() noexcept {
  if constexpr (is_basic<T>) return {basic_type<T>(), 1};
  else return {MPI_BYTE, sizeof(T)};
}

}  // namespace stretto::mpi
