// basic_type.cpp - the tables of predefined datatypes.
#include "ranks/datatypes/basic_type.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>

namespace stretto::ranks {

namespace {

using enum value_kind;

template <typename T>
constexpr basic_type row(std::uint16_t number, value_kind kind, std::uint8_t external_size, std::string_view name) {
  return {number, kind, sizeof(T), alignof(T), external_size, name};
}

// Fortran's types, as gfortran lays them out: a size, and as much alignment but for complex values.
constexpr basic_type fortran(std::uint16_t number, value_kind kind, std::uint8_t size, std::string_view name) {
  const std::uint8_t alignment = kind == complex ? size / 2 : size;
  return {number, kind, size, alignment, size, name};
}

constexpr auto basic_rows = std::to_array<basic_type>({
    row<std::intptr_t>(0x201, signed_integer, 8, "MPI_AINT"),
    row<std::int64_t>(0x202, signed_integer, 8, "MPI_COUNT"),
    row<std::int64_t>(0x203, signed_integer, 8, "MPI_OFFSET"),
    row<char>(0x207, bytes, 1, "MPI_PACKED"),
    row<short>(0x208, signed_integer, 2, "MPI_SHORT"),
    row<int>(0x209, signed_integer, 4, "MPI_INT"),
    row<long>(0x20a, signed_integer, 4, "MPI_LONG"),
    row<long long>(0x20b, signed_integer, 8, "MPI_LONG_LONG_INT"),
    row<unsigned short>(0x20c, unsigned_integer, 2, "MPI_UNSIGNED_SHORT"),
    row<unsigned>(0x20d, unsigned_integer, 4, "MPI_UNSIGNED"),
    row<unsigned long>(0x20e, unsigned_integer, 4, "MPI_UNSIGNED_LONG"),
    row<unsigned long long>(0x20f, unsigned_integer, 8, "MPI_UNSIGNED_LONG_LONG"),
    row<float>(0x210, floating, 4, "MPI_FLOAT"),
    row<std::complex<float>>(0x212, complex, 8, "MPI_C_COMPLEX"),
    row<std::complex<float>>(0x213, complex, 8, "MPI_CXX_FLOAT_COMPLEX"),
    row<double>(0x214, floating, 8, "MPI_DOUBLE"),
    row<std::complex<double>>(0x216, complex, 16, "MPI_C_DOUBLE_COMPLEX"),
    row<std::complex<double>>(0x217, complex, 16, "MPI_CXX_DOUBLE_COMPLEX"),
    fortran(0x218, signed_integer, 4, "MPI_LOGICAL"),
    fortran(0x219, signed_integer, 4, "MPI_INTEGER"),
    fortran(0x21a, floating, 4, "MPI_REAL"),
    fortran(0x21b, complex, 8, "MPI_COMPLEX"),
    fortran(0x21c, floating, 8, "MPI_DOUBLE_PRECISION"),
    fortran(0x21d, complex, 16, "MPI_DOUBLE_COMPLEX"),
    fortran(0x21e, bytes, 1, "MPI_CHARACTER"),
    row<long double>(0x220, floating, 16, "MPI_LONG_DOUBLE"),
    row<std::complex<long double>>(0x224, complex, 32, "MPI_C_LONG_DOUBLE_COMPLEX"),
    row<std::complex<long double>>(0x225, complex, 32, "MPI_CXX_LONG_DOUBLE_COMPLEX"),
    row<bool>(0x238, unsigned_integer, 1, "MPI_C_BOOL"),
    row<bool>(0x239, unsigned_integer, 1, "MPI_CXX_BOOL"),
    row<wchar_t>(0x23c, unsigned_integer, 2, "MPI_WCHAR"),
    row<std::int8_t>(0x240, signed_integer, 1, "MPI_INT8_T"),
    row<std::uint8_t>(0x241, unsigned_integer, 1, "MPI_UINT8_T"),
    row<char>(0x243, bytes, 1, "MPI_CHAR"),
    row<signed char>(0x244, signed_integer, 1, "MPI_SIGNED_CHAR"),
    row<unsigned char>(0x245, unsigned_integer, 1, "MPI_UNSIGNED_CHAR"),
    row<char>(0x247, bytes, 1, "MPI_BYTE"),
    row<std::int16_t>(0x248, signed_integer, 2, "MPI_INT16_T"),
    row<std::uint16_t>(0x249, unsigned_integer, 2, "MPI_UINT16_T"),
    row<std::int32_t>(0x250, signed_integer, 4, "MPI_INT32_T"),
    row<std::uint32_t>(0x251, unsigned_integer, 4, "MPI_UINT32_T"),
    row<std::int64_t>(0x258, signed_integer, 8, "MPI_INT64_T"),
    row<std::uint64_t>(0x259, unsigned_integer, 8, "MPI_UINT64_T"),
    fortran(0x2c0, signed_integer, 1, "MPI_LOGICAL1"),
    fortran(0x2c1, signed_integer, 1, "MPI_INTEGER1"),
    fortran(0x2c8, signed_integer, 2, "MPI_LOGICAL2"),
    fortran(0x2c9, signed_integer, 2, "MPI_INTEGER2"),
    fortran(0x2ca, floating, 2, "MPI_REAL2"),
    fortran(0x2d0, signed_integer, 4, "MPI_LOGICAL4"),
    fortran(0x2d1, signed_integer, 4, "MPI_INTEGER4"),
    fortran(0x2d2, floating, 4, "MPI_REAL4"),
    fortran(0x2d3, complex, 4, "MPI_COMPLEX4"),
    fortran(0x2d8, signed_integer, 8, "MPI_LOGICAL8"),
    fortran(0x2d9, signed_integer, 8, "MPI_INTEGER8"),
    fortran(0x2da, floating, 8, "MPI_REAL8"),
    fortran(0x2db, complex, 8, "MPI_COMPLEX8"),
    fortran(0x2e0, signed_integer, 16, "MPI_LOGICAL16"),
    fortran(0x2e1, signed_integer, 16, "MPI_INTEGER16"),
    fortran(0x2e2, floating, 16, "MPI_REAL16"),
    fortran(0x2e3, complex, 16, "MPI_COMPLEX16"),
    fortran(0x2eb, complex, 32, "MPI_COMPLEX32"),
});

template <typename First>
struct value_and_index {
  First value;
  int index;
};

template <typename First>
constexpr pair_type pair(std::uint16_t number, std::uint16_t first, std::string_view name) {
  return {number, first, 0x209, offsetof(value_and_index<First>, index), name};
}

constexpr auto pair_rows = std::to_array<pair_type>({
    pair<float>(0x228, 0x210, "MPI_FLOAT_INT"),
    pair<double>(0x229, 0x214, "MPI_DOUBLE_INT"),
    pair<long>(0x22a, 0x20a, "MPI_LONG_INT"),
    pair<int>(0x22b, 0x209, "MPI_2INT"),
    pair<short>(0x22c, 0x208, "MPI_SHORT_INT"),
    pair<long double>(0x22d, 0x220, "MPI_LONG_DOUBLE_INT"),
    {0x230, 0x21a, 0x21a, 4, "MPI_2REAL"},
    {0x231, 0x21c, 0x21c, 8, "MPI_2DOUBLE_PRECISION"},
    {0x232, 0x219, 0x219, 4, "MPI_2INTEGER"},
});

}  // namespace

std::span<const basic_type> basic_types() { return basic_rows; }

std::span<const pair_type> pair_types() { return pair_rows; }

const basic_type* find_basic_type(std::uintptr_t handle) {
  const auto found = std::ranges::lower_bound(basic_rows, handle, {}, &basic_type::number);
  return found != basic_rows.end() && found->number == handle ? found : nullptr;
}

std::uint16_t find_pair_type(std::uintptr_t first, std::uintptr_t second) {
  const auto found = std::ranges::find_if(
      pair_rows, [=](const pair_type& pair) { return pair.first == first && pair.second == second; });
  return found == pair_rows.end() ? 0 : found->number;
}

std::uint16_t type_of_size(type_class which, int size) {
  constexpr int logical[] = {0x2c0, 0x2c8, 0x2d0, 0x2d8, 0x2e0};
  constexpr int integer[] = {0x2c1, 0x2c9, 0x2d1, 0x2d9, 0x2e1};
  constexpr int real[] = {0, 0x2ca, 0x2d2, 0x2da, 0x2e2};
  constexpr int complex_number[] = {0, 0, 0x2d3, 0x2db, 0x2e3, 0x2eb};
  std::span<const int> numbers;
  switch (which) {
    case type_class::logical: numbers = logical; break;
    case type_class::integer: numbers = integer; break;
    case type_class::real: numbers = real; break;
    case type_class::complex: numbers = complex_number; break;
  }
  for (std::size_t power = 0; power < numbers.size(); ++power) {
    if (size == 1 << power) return static_cast<std::uint16_t>(numbers[power]);
  }
  return 0;
}

}  // namespace stretto::ranks
