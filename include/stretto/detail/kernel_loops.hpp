// kernel_loops.hpp - attributes and pragmas of the loops that compute kernels on the host.
#pragma once

#include <stretto/compiler.hpp>

STRETTO_API_BEGIN

// Of the loop that follows: no iteration depends on another. Compilers have no common word for it.
#if defined(__clang__)
#define STRETTO_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define STRETTO_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Of a kernel's loops: all that it calls becomes part of it, and its loops are worth what -O3 spends on them whatever
// the rest of the program gets. A build that does not optimise, or that is watched, stays what it is.
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten]]
#else
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten, gnu::optimize("O3")]]
#endif

// Of a function that returns memory to which nothing else leads, and into which no compiler looks.
#if defined(__clang__)
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noinline]]
#else
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noipa]]
#endif

// Of such loops: for vectors that not every processor of the architecture has. Without fused multiply-adds, which would
// round otherwise. What has them already needs nothing.
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
