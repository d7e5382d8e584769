// argument_lists.hpp - lists of numbers that programs pass to constructors of datatypes.
//
// Threads     pure.
// Errors      call_error: count if the length is negative, argument for a list that is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ranks/binding/handles.hpp"

namespace stretto::ranks {

/// The `count` numbers of a list as 64-bit numbers. `name` is the argument's name in the MPI standard, for errors.
template <class Number>
std::vector<std::int64_t> listed(const Number* numbers, std::int64_t count, const char* name) {
  if (count < 0) throw call_error(error_class::count, "count is " + std::to_string(count));
  if (count > 0) required(numbers, name);
  return {numbers, numbers + count};
}

}  // namespace stretto::ranks
