// cuda_keywords_for_clang.hpp - the CUDA keywords and functions that our kernels use, for a clang without the CUDA
// toolkit.
//
// Threads     declarations.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))

struct three_words {
  unsigned x, y, z;
};
extern __device__ const three_words threadIdx, blockIdx, blockDim, gridDim;

#define DECLARE_ATOMIC(T, name) __device__ T name(T*, T);
// clang-format off
DECLARE_ATOMIC(int, atomicAdd) DECLARE_ATOMIC(unsigned, atomicAdd) DECLARE_ATOMIC(unsigned long long, atomicAdd)
DECLARE_ATOMIC(float, atomicAdd) DECLARE_ATOMIC(double, atomicAdd)
DECLARE_ATOMIC(int, atomicMin) DECLARE_ATOMIC(unsigned, atomicMin) DECLARE_ATOMIC(long long, atomicMin)
DECLARE_ATOMIC(unsigned long long, atomicMin)
DECLARE_ATOMIC(int, atomicMax) DECLARE_ATOMIC(unsigned, atomicMax) DECLARE_ATOMIC(long long, atomicMax)
DECLARE_ATOMIC(unsigned long long, atomicMax)
#define DECLARE_BITS(T) DECLARE_ATOMIC(T, atomicAnd) DECLARE_ATOMIC(T, atomicOr) DECLARE_ATOMIC(T, atomicXor)
DECLARE_BITS(int) DECLARE_BITS(unsigned) DECLARE_BITS(unsigned long long)
    // clang-format on
    __device__ unsigned atomicCAS(unsigned*, unsigned, unsigned);
__device__ unsigned atomicExch(unsigned*, unsigned);
__device__ void __threadfence();
__device__ unsigned long long atomicCAS(unsigned long long*, unsigned long long, unsigned long long);

// As templates, so that they do not collide with clang's own declarations of C functions.
#define DECLARE_ONE(name)                                     \
  __device__ float name(float) __attribute__((overloadable)); \
  __device__ double name(double) __attribute__((overloadable));
#define DECLARE_TWO(name)                                            \
  __device__ float name(float, float) __attribute__((overloadable)); \
  __device__ double name(double, double) __attribute__((overloadable));
// clang-format off
DECLARE_ONE(sqrt) DECLARE_ONE(rsqrt) DECLARE_ONE(exp) DECLARE_ONE(log) DECLARE_ONE(sin) DECLARE_ONE(cos) DECLARE_ONE(tan)
DECLARE_ONE(atan) DECLARE_ONE(tanh) DECLARE_ONE(floor) DECLARE_ONE(ceil) DECLARE_ONE(round) DECLARE_ONE(fabs)
DECLARE_TWO(pow) DECLARE_TWO(atan2) DECLARE_TWO(fmod) DECLARE_TWO(hypot)
    // clang-format on
    __device__ float fma(float, float, float);
__device__ double fma(double, double, double);
