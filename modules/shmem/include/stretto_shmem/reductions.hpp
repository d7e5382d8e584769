// reductions.hpp - the reductions of OpenSHMEM, by operation and type.
#pragma once

#include <shmem.h>

namespace stretto::shmem {

enum class operation { sum, product, least, greatest, bits_and, bits_or, bits_xor };

/// The function for this operation and type; empty for others.
template <operation Op, class T>
struct reduction {};

#define STRETTO_SHMEM_REDUCTION(OP, FUNCTION, T, NAME)                                                              \
  template <>                                                                                                       \
  struct reduction<operation::OP, T> {                                                                              \
    static void call(T* into, const T* from, int n, int pes, void* scratch, long* sync) {                           \
      shmem_##NAME##_##FUNCTION##_to_all(into, const_cast<T*>(from), n, 0, 0, pes, static_cast<T*>(scratch), sync); \
    }                                                                                                               \
  };
#define STRETTO_SHMEM_NUMBER(T, NAME)             \
  STRETTO_SHMEM_REDUCTION(sum, sum, T, NAME)      \
  STRETTO_SHMEM_REDUCTION(product, prod, T, NAME) \
  STRETTO_SHMEM_REDUCTION(least, min, T, NAME)    \
  STRETTO_SHMEM_REDUCTION(greatest, max, T, NAME)
#define STRETTO_SHMEM_INTEGER(T, NAME)            \
  STRETTO_SHMEM_NUMBER(T, NAME)                   \
  STRETTO_SHMEM_REDUCTION(bits_and, and, T, NAME) \
  STRETTO_SHMEM_REDUCTION(bits_or, or, T, NAME)   \
  STRETTO_SHMEM_REDUCTION(bits_xor, xor, T, NAME)
STRETTO_SHMEM_INTEGER(short, short)
STRETTO_SHMEM_INTEGER(int, int)
STRETTO_SHMEM_INTEGER(long, long)
STRETTO_SHMEM_INTEGER(long long, longlong)
STRETTO_SHMEM_NUMBER(float, float)
STRETTO_SHMEM_NUMBER(double, double)
#undef STRETTO_SHMEM_INTEGER
#undef STRETTO_SHMEM_NUMBER
#undef STRETTO_SHMEM_REDUCTION

template <operation Op, class T>
concept has_reduction = requires { &reduction<Op, T>::call; };

}  // namespace stretto::shmem
