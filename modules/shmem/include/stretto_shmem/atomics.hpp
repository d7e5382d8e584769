// atomics.hpp - the atomic functions of OpenSHMEM, by type.
#pragma once

#include <shmem.h>

#include <cstdint>
#include <cstring>

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

/// The functions on bits that return nothing; empty for types without them.
template <class T>
struct bit_atomics {};

#define STRETTO_SHMEM_BITS(T, NAME)                                                            \
  template <>                                                                                  \
  struct bit_atomics<T> {                                                                      \
    static void and_with(T* at, T value, int pe) { shmem_##NAME##_atomic_and(at, value, pe); } \
    static void or_with(T* at, T value, int pe) { shmem_##NAME##_atomic_or(at, value, pe); }   \
    static void xor_with(T* at, T value, int pe) { shmem_##NAME##_atomic_xor(at, value, pe); } \
  };
STRETTO_SHMEM_BITS(unsigned, uint)
STRETTO_SHMEM_BITS(unsigned long, ulong)
STRETTO_SHMEM_BITS(unsigned long long, ulonglong)
STRETTO_SHMEM_BITS(std::int32_t, int32)
STRETTO_SHMEM_BITS(std::int64_t, int64)
#undef STRETTO_SHMEM_BITS

/// Changes the element at PE `pe` to `change` of its value; returns what was there. By compare and swap of the 8 bytes
/// around it: in Open MPI 4.1.4 the library's functions that fetch and change bits fetch only.
template <class T, class Change>
T fetch_and_change(T* at, Change change, int pe) {
  static_assert(sizeof(unsigned long) == 8);
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  auto* const around = reinterpret_cast<unsigned long*>(address & ~std::uintptr_t{7});
  unsigned long seen = shmem_ulong_atomic_fetch(around, pe);
  for (;;) {
    unsigned long wanted = seen;
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(&seen) + (address & 7), sizeof value);
    const T changed = change(value);
    std::memcpy(reinterpret_cast<char*>(&wanted) + (address & 7), &changed, sizeof changed);
    const unsigned long found = shmem_ulong_atomic_compare_swap(around, seen, wanted, pe);
    if (found == seen) return value;
    seen = found;
  }
}

/// Types with fetch, set and swap: integers from int on, float and double.
template <class T>
concept has_exchange = requires { &atomics<T>::swap; };
/// Types with all functions: integers from int on. Conditions compare them, too.
template <class T>
concept has_arithmetic = requires { &atomics<T>::fetch_add; };

/// Types with functions on bits, too.
template <class T>
concept has_bits = requires { &bit_atomics<T>::and_with; };

}  // namespace stretto::shmem
