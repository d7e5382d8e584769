// kernel_loops.hpp - attributes and pragmas of the loops that compute kernels on the host.
#pragma once

#include <stretto/compiler.hpp>

STRETTO_API_BEGIN

// States that the iterations of the next loop are independent. Each compiler has its own pragma for it.
#if defined(__clang__)
#define STRETTO_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define STRETTO_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#endif

// For functions with the loops of a kernel: inlines all calls and optimises as -O3, independently of the options of the
// program. Not in builds without optimisation or with sanitizers.
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten]]
#else
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten, gnu::optimize("O3")]]
#endif

// For a function that returns unaliased memory and that compilers must not analyse.
#if defined(__clang__)
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noinline]]
#else
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noipa]]
#endif

// For the same loops with AVX2, which not every processor has. Without fused multiply-adds, which round differently. A
// program that is compiled for AVX2 needs no second version.
#if defined(__x86_64__) && !defined(__AVX2__)
#define STRETTO_DETAIL_WIDE [[gnu::target("avx2")]]
#else
#define STRETTO_DETAIL_WIDE
#endif

namespace stretto::kernels {

/// Whether kernels have a second function for wider vectors.
#if defined(__x86_64__) && !defined(__AVX2__)
inline constexpr bool has_wide_vectors = true;
#else
inline constexpr bool has_wide_vectors = false;
#endif

}  // namespace stretto::kernels

STRETTO_API_END
