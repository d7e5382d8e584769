// basic_type.hpp - the predefined datatypes of one value: sizes, kinds and names.
//
// Threads     pure.
// Cost        one lookup in a table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stretto::ranks {

/// How a value is converted to another size or byte order.
enum class value_kind : std::uint8_t { bytes, signed_integer, unsigned_integer, floating, complex };

/// A predefined datatype that consists of one value.
struct basic_type {
  std::uint16_t number;  // its handle in the ABI of MPI 5.0
  value_kind kind;
  std::uint8_t size;           // bytes in memory
  std::uint8_t alignment;      // bytes
  std::uint8_t external_size;  // bytes in the representation external32
  std::string_view name;
};

/// All of them, in the order of their numbers. Pairs of a value and an index are none (pair_types).
std::span<const basic_type> basic_types();

/// The basic type with this handle, or null.
const basic_type* find_basic_type(std::uintptr_t handle);

/// A predefined datatype of two values, as a structure of C.
struct pair_type {
  std::uint16_t number;
  std::uint16_t first;  // handle of the first value's type
  std::uint16_t second;
  std::uint8_t second_offset;  // bytes
  std::string_view name;
};

std::span<const pair_type> pair_types();

/// The handle of the pair of two types, as MPI_Type_get_value_index returns it, or 0.
std::uint16_t find_pair_type(std::uintptr_t first, std::uintptr_t second);

/// The size that the ABI encodes in a handle: values of types with a fixed size; 0 for all other handles.
constexpr int encoded_size(std::uintptr_t handle) {
  const bool is_fixed = handle < 0x400 && (handle & 0x340) == 0x240;
  return is_fixed ? 1 << (handle >> 3 & 7) : 0;
}

/// Classes of Fortran's datatypes; the numbers are those of the ABI.
enum class type_class : int { logical = 191, integer = 192, real = 193, complex = 194 };

/// The handle of Fortran's datatype of a class with `size` bytes, or 0.
std::uint16_t type_of_size(type_class which, int size);

}  // namespace stretto::ranks
