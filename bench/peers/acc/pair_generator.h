// pair_generator.h - the random numbers of the benchmark EP of NAS (report RNR-94-007).
#pragma once

#include <stdint.h>

enum { log2_of_batch = 10 };

/// The sequence is s(i + 1) = 5^13 s(i) modulo 2^46, with s(0) = 271828183.
#pragma acc routine seq
static inline uint64_t product_of(uint64_t a, uint64_t b) { return a * b & ((UINT64_C(1) << 46) - 1); }

/// s(i) in O(log i) steps.
#pragma acc routine seq
static inline uint64_t state_at(uint64_t i) {
  uint64_t result = 271828183, factor = 1220703125;
  for (; i > 0; i >>= 1) {
    if (i & 1) result = product_of(result, factor);
    factor = product_of(factor, factor);
  }
  return result;
}

/// Between -1 and 1.
#pragma acc routine seq
static inline double next_number(uint64_t* state) {
  *state = product_of(*state, 1220703125);
  return 2.0 * ((double)*state / (double)(UINT64_C(1) << 46)) - 1.0;
}
