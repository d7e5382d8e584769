// kernel_prelude.hpp - the words of CUDA C++ that our kernels use, for a host's compiler. Stands before a kernel's
// text.
//
// Threads     a block's threads take turns on one thread of the host, each on a stack of its own; blocks follow one
//             another.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <utility>

#define __device__
#define __global__
#define __shared__ static __thread
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __CUDA_ARCH__ 800

struct fake_index {
  unsigned x, y, z;
};
static __thread fake_index threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();  // in the epilogue

static inline void __threadfence() { __sync_synchronize(); }

// The overloads that CUDA has, and no others.
#define FAKE_ATOMICS(T)                                                                           \
  static inline T atomicAdd(T* at, T x) { return __sync_fetch_and_add(at, x); }                   \
  static inline T atomicExch(T* at, T x) { return __atomic_exchange_n(at, x, __ATOMIC_RELAXED); } \
  static inline T atomicCAS(T* at, T old, T next) { return __sync_val_compare_and_swap(at, old, next); }
#define FAKE_BITS(T)                                                            \
  static inline T atomicAnd(T* at, T x) { return __sync_fetch_and_and(at, x); } \
  static inline T atomicOr(T* at, T x) { return __sync_fetch_and_or(at, x); }   \
  static inline T atomicXor(T* at, T x) { return __sync_fetch_and_xor(at, x); }
FAKE_BITS(int)
FAKE_BITS(unsigned)
FAKE_BITS(unsigned long long)
FAKE_ATOMICS(int)
FAKE_ATOMICS(unsigned)
FAKE_ATOMICS(unsigned long long)
#define FAKE_EXTREMA(T)                                                                                       \
  static inline T atomicMin(T* at, T x) {                                                                     \
    T old = *at;                                                                                              \
    while (x < old && !__atomic_compare_exchange_n(at, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                                         \
    return old;                                                                                               \
  }                                                                                                           \
  static inline T atomicMax(T* at, T x) {                                                                     \
    T old = *at;                                                                                              \
    while (old < x && !__atomic_compare_exchange_n(at, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                                         \
    return old;                                                                                               \
  }
FAKE_EXTREMA(int)
FAKE_EXTREMA(unsigned)
FAKE_EXTREMA(long long)
FAKE_EXTREMA(unsigned long long)
#define FAKE_SUM(T)                                                                                 \
  static inline T atomicAdd(T* at, T x) {                                                           \
    T old = *at, next;                                                                              \
    do next = old + x;                                                                              \
    while (!__atomic_compare_exchange(at, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return old;                                                                                     \
  }
FAKE_SUM(float)
FAKE_SUM(double)

static inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
