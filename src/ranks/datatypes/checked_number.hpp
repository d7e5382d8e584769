// checked_number.hpp - arithmetic of 64-bit numbers that throws where it overflows.
#pragma once

#include <cstdint>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

[[noreturn]] inline void throw_too_large() {
  throw call_error(error_class::value_too_large, "the datatype is larger than 8 EiB");
}

inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) throw_too_large();
  return result;
}

inline std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) throw_too_large();
  return result;
}

/// Whether a * b is `c`; no product that overflows is.
inline bool is_product(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result;
  return !__builtin_mul_overflow(a, b, &result) && result == c;
}

inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (__builtin_add_overflow(a, b, &result)) throw_too_large();
  return result;
}

}  // namespace stretto::ranks
