// atomics.hpp - the atomic functions of OpenSHMEM, by type.
#pragma once

#include <shmem.h>

namespace stretto::shmem {

/// The functions for elements of type T; empty for other types.
template <class T>
struct atomics {};

#define STRETTO_SHMEM_EXCHANGE(T, NAME)                                                               \
  static T fetch(const T* at, int pe) { return shmem_##NAME##_atomic_fetch(const_cast<T*>(at), pe); } \
  static void set(T* at, T value, int pe) { shmem_##NAME##_atomic_set(at, value, pe); }               \
  static T swap(T* at, T value, int pe) { return shmem_##NAME##_atomic_swap(at, value, pe); }
#define STRETTO_SHMEM_INTEGER(T, NAME)                                                                    \
  template <>                                                                                             \
  struct atomics<T> {                                                                                     \
    STRETTO_SHMEM_EXCHANGE(T, NAME)                                                                       \
    static void add(T* at, T value, int pe) { shmem_##NAME##_atomic_add(at, value, pe); }                 \
    static T fetch_add(T* at, T value, int pe) { return shmem_##NAME##_atomic_fetch_add(at, value, pe); } \
    static T compare_swap(T* at, T expected, T value, int pe) {                                           \
      return shmem_##NAME##_atomic_compare_swap(at, expected, value, pe);                                 \
    }                                                                                                     \
  };
STRETTO_SHMEM_INTEGER(int, int)
STRETTO_SHMEM_INTEGER(long, long)
STRETTO_SHMEM_INTEGER(long long, longlong)
STRETTO_SHMEM_INTEGER(unsigned, uint)
STRETTO_SHMEM_INTEGER(unsigned long, ulong)
STRETTO_SHMEM_INTEGER(unsigned long long, ulonglong)
template <>
struct atomics<float> {
  STRETTO_SHMEM_EXCHANGE(float, float)
};
template <>
struct atomics<double> {
  STRETTO_SHMEM_EXCHANGE(double, double)
};
#undef STRETTO_SHMEM_INTEGER
#undef STRETTO_SHMEM_EXCHANGE

/// Types with fetch, set and swap: integers from int on, float and double.
template <class T>
concept has_exchange = requires { &atomics<T>::swap; };
/// Types with all functions: integers from int on. Conditions compare them, too.
template <class T>
concept has_arithmetic = requires { &atomics<T>::fetch_add; };

}  // namespace stretto::shmem
