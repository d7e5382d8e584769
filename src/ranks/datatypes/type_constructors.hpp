// type_constructors.hpp - makes derived datatypes, one function for each constructor of MPI.
//
// Threads     pure; the types that they are given may be shared.
// Cost        O(blocks), independent of counts and lengths.
// Errors      call_error: count, argument or type, with the argument's name; value_too_large beyond 64 bits.
#pragma once

#include <cstdint>

#include "ranks/datatypes/counts.hpp"
#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

datatype_ref make_dup(const datatype& type);
/// A new object with the same parts, bounds and arguments, for a second handle of a type: a handle is the address of
/// an object, and each is freed on its own.
datatype_ref make_copy(const datatype& type);
datatype_ref make_contiguous(std::int64_t count, const datatype& type, count_kind kind = count_kind::normal);
/// The stride is in elements.
datatype_ref make_vector(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type,
                         count_kind kind = count_kind::normal);
/// The stride is in bytes.
datatype_ref make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type,
                          count_kind kind = count_kind::normal);
/// Displacements are in elements, as many as lengths.
datatype_ref make_indexed(counts lengths, counts displacements, const datatype& type,
                          count_kind kind = count_kind::normal);
/// Displacements are in bytes.
datatype_ref make_hindexed(counts lengths, counts displacements, const datatype& type,
                           count_kind kind = count_kind::normal);
datatype_ref make_indexed_block(std::int64_t length, counts displacements, const datatype& type,
                                count_kind kind = count_kind::normal);
datatype_ref make_hindexed_block(std::int64_t length, counts displacements, const datatype& type,
                                 count_kind kind = count_kind::normal);
datatype_ref make_struct(counts lengths, counts displacements, std::span<const datatype* const> types,
                         count_kind kind = count_kind::normal);
datatype_ref make_resized(const datatype& type, std::int64_t lb, std::int64_t extent,
                          count_kind kind = count_kind::normal);

/// The numbers are those of the ABI.
enum class array_order : int { c = 12, fortran = 15 };

/// The part `starts` to `starts + subsizes` of an array of `sizes` elements.
datatype_ref make_subarray(counts sizes, counts subsizes, counts starts, array_order order, const datatype& type,
                           count_kind kind = count_kind::normal);

enum class distribution : int { none = 16, block, cyclic };

/// The argument of a distribution that stands for its default.
inline constexpr int default_distribution_argument = 19;

/// How an array is distributed over a grid of processes, an entry for each dimension.
struct array_distribution {
  int size = 1;  // processes
  int rank = 0;
  counts sizes;  // of the whole array
  std::span<const int> distributions;
  std::span<const int> arguments;
  std::span<const int> processes;
  array_order order = array_order::c;
};

/// The part of a process.
datatype_ref make_darray(const array_distribution& array, const datatype& type, count_kind kind = count_kind::normal);

/// The datatypes of Fortran with at least so many decimal digits (`precision`) and such an exponent range; -32766 for
/// one of the two means any.
datatype_ref make_f90_real(int precision, int range);
datatype_ref make_f90_complex(int precision, int range);
datatype_ref make_f90_integer(int range);

}  // namespace stretto::ranks
