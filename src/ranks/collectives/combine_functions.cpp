// combine_functions.cpp - which operation MPI defines for which type, and the loop for it.
//
// Source      the groups of types: MPI 4.1, section 6.9.2.
#include <type_traits>

#include "ranks/collectives/combine_loops.hpp"
#include "ranks/collectives/reduction_operation.hpp"

namespace stretto::ranks {

namespace {

__extension__ typedef unsigned __int128 unsigned_128;
__extension__ typedef __int128 signed_128;
__extension__ typedef __float128 float_128;

/// MPI's groups of types; those of none have no operations. Programs combine MPI_CHAR, which MPI leaves out, and the
/// types of addresses as truth values, since other libraries allow both.
enum class type_group : std::uint8_t { none, c_integer, fortran_integer, logical, floating, complex, byte, address };

type_group integer_group(std::uint16_t number) {
  if (number == 0x23c) return type_group::none;  // wide characters
  if (number <= 0x203) return type_group::address;
  if (number == 0x218 || number == 0x238 || number == 0x239) return type_group::logical;
  if (number == 0x219) return type_group::fortran_integer;
  if (number < 0x2c0) return type_group::c_integer;
  return number % 8 == 0 ? type_group::logical : type_group::fortran_integer;
}

type_group group_of(const basic_type& type) {
  switch (type.kind) {
    case value_kind::bytes:
      if (type.number == 0x243) return type_group::c_integer;  // MPI_CHAR
      return type.number == 0x247 ? type_group::byte : type_group::none;
    case value_kind::floating: return type_group::floating;
    case value_kind::complex: return type_group::complex;
    default: return integer_group(type.number);
  }
}

/// Fortran's numbers of 16 bytes are not those of C's long double.
bool is_quadruple(const basic_type& type) { return type.number == 0x2e2 || type.number == 0x2eb; }

template <typename Operator>
combine_function for_unsigned(int size) {
  switch (size) {
    case 1: return combine_values<std::uint8_t, Operator>;
    case 2: return combine_values<std::uint16_t, Operator>;
    case 4: return combine_values<std::uint32_t, Operator>;
    case 8: return combine_values<std::uint64_t, Operator>;
    default: return combine_values<unsigned_128, Operator>;
  }
}

template <typename Operator>
combine_function for_signed(int size) {
  switch (size) {
    case 1: return combine_values<std::int8_t, Operator>;
    case 2: return combine_values<std::int16_t, Operator>;
    case 4: return combine_values<std::int32_t, Operator>;
    case 8: return combine_values<std::int64_t, Operator>;
    default: return combine_values<signed_128, Operator>;
  }
}

template <typename Operator>
combine_function for_floating(const basic_type& type) {
  switch (type.size) {
    case 2: return combine_values<_Float16, Operator>;
    case 4: return combine_values<float, Operator>;
    case 8: return combine_values<double, Operator>;
    default: return is_quadruple(type) ? combine_values<float_128, Operator> : combine_values<long double, Operator>;
  }
}

template <typename Operator>
combine_function for_complex(const basic_type& type) {
  switch (type.size) {
    case 4: return combine_values<complex_value<_Float16>, Operator>;
    case 8: return combine_values<complex_value<float>, Operator>;
    case 16: return combine_values<complex_value<double>, Operator>;
    default:
      return is_quadruple(type) ? combine_values<complex_value<float_128>, Operator>
                                : combine_values<complex_value<long double>, Operator>;
  }
}

bool is_integer(type_group group) {
  return group == type_group::c_integer || group == type_group::fortran_integer || group == type_group::address;
}

template <typename Operator>
combine_function for_arithmetic(const basic_type& type, type_group group) {
  if (group == type_group::complex) return for_complex<Operator>(type);
  if (group == type_group::floating) return for_floating<Operator>(type);
  return is_integer(group) ? for_unsigned<Operator>(type.size) : nullptr;
}

template <typename Operator>
combine_function for_order(const basic_type& type, type_group group) {
  if (group == type_group::floating) return for_floating<Operator>(type);
  if (!is_integer(group)) return nullptr;
  const bool is_signed = type.kind == value_kind::signed_integer || (type.number == 0x243 && std::is_signed_v<char>);
  return is_signed ? for_signed<Operator>(type.size) : for_unsigned<Operator>(type.size);
}

template <typename Operator>
combine_function for_bits(const basic_type& type, type_group group) {
  return is_integer(group) || group == type_group::byte ? for_unsigned<Operator>(type.size) : nullptr;
}

template <typename Operator>
combine_function for_truth(const basic_type& type, type_group group) {
  const bool is_defined =
      group == type_group::c_integer || group == type_group::logical || group == type_group::address;
  return is_defined ? for_unsigned<Operator>(type.size) : nullptr;
}

combine_function for_basic(predefined_operator which, const basic_type& type) {
  using enum predefined_operator;
  const type_group group = group_of(type);
  switch (which) {
    case sum: return for_arithmetic<add_values>(type, group);
    case product: return for_arithmetic<multiply_values>(type, group);
    case min: return for_order<smaller_value>(type, group);
    case max: return for_order<larger_value>(type, group);
    case bitwise_and: return for_bits<common_bits>(type, group);
    case bitwise_or: return for_bits<all_bits>(type, group);
    case bitwise_xor: return for_bits<different_bits>(type, group);
    case logical_and: return for_truth<both_true>(type, group);
    case logical_or: return for_truth<any_true>(type, group);
    case logical_xor: return for_truth<one_true>(type, group);
    default: return nullptr;
  }
}

template <typename Choice>
combine_function for_pair(const datatype& type) {
  if (&type == predefined_type(0x228)) return combine_locations<float, int, Choice>;
  if (&type == predefined_type(0x229)) return combine_locations<double, int, Choice>;
  if (&type == predefined_type(0x22a)) return combine_locations<long, int, Choice>;
  if (&type == predefined_type(0x22b)) return combine_locations<int, int, Choice>;
  if (&type == predefined_type(0x22c)) return combine_locations<short, int, Choice>;
  if (&type == predefined_type(0x22d)) return combine_locations<long double, int, Choice>;
  if (&type == predefined_type(0x230)) return combine_locations<float, float, Choice>;
  if (&type == predefined_type(0x231)) return combine_locations<double, double, Choice>;
  if (&type == predefined_type(0x232)) return combine_locations<int, int, Choice>;
  return nullptr;
}

/// The predefined type that a copy of one, or Fortran's type of a given precision, stands for.
const datatype& represented_type(const datatype& type) {
  const type_constructor made_by = type.arguments().constructor;
  const bool stands_for_another = made_by == type_constructor::dup || made_by == type_constructor::f90_real ||
                                  made_by == type_constructor::f90_complex || made_by == type_constructor::f90_integer;
  if (!stands_for_another || type.map().blocks.size() != 1) return type;
  return represented_type(*type.map().blocks.front().type);
}

}  // namespace

combine_function find_combine_function(predefined_operator which, const datatype& type) {
  const datatype& represented = represented_type(type);
  if (which == predefined_operator::min_location) return for_pair<smaller_value>(represented);
  if (which == predefined_operator::max_location) return for_pair<larger_value>(represented);
  return represented.basic() ? for_basic(which, *represented.basic()) : nullptr;
}

}  // namespace stretto::ranks
