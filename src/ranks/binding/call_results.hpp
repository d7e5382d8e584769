// call_results.hpp - numbers that functions of MPI return.
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ranks/binding/mpi_functions.hpp"

namespace stretto::ranks {

/// MPI_UNDEFINED where a number is too large for the parameter by which a function returns it.
template <class Number>
Number value_or_undefined(std::int64_t value) {
  return std::in_range<Number>(value) ? static_cast<Number>(value) : Number{MPI_UNDEFINED};
}

/// The same where there is no number.
template <class Number>
Number value_or_undefined(std::optional<std::int64_t> value) {
  return value ? value_or_undefined<Number>(*value) : Number{MPI_UNDEFINED};
}

}  // namespace stretto::ranks
