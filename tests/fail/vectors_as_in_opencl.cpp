// Of OpenCL's vectors, kernels have what means the same in C++.
// expect: a_kernel_cannot_cast_several_values_write_float4_of_them
// expect: a number that meets a short vector may be of no wider type than the vector's components
// expect: has no member named 'xyz'
// expect: no match for 'operator=='
// expect: no match for 'operator*'
// expect: conversion from 'int' to non-scalar type
#include <stretto/kernel.hpp>

STRETTO_KERNEL(sound, (inout<float4> x, int2 n), {
  x(0) = float4(1, 2, 3, 4) * 2.0f + x(0) * n.x;
  float4 y = (float4)(x(0).x);
  if (max(n.x, 3) == 3) (y.x) += 1, y.y += (float)(max(n.x, n.y));
  x(1) = y;
})
STRETTO_KERNEL(casts, (inout<float4> x), { x(0) = (float4)(1, 2, 3, 4); })        // fails
STRETTO_KERNEL(widens, (inout<float4> x), { x(0) = 2.0 * x(0); })                 // fails
STRETTO_KERNEL(swizzles, (inout<float4> x), { x(0).x = x(0).xyz.x; })             // fails
STRETTO_KERNEL(compares, (inout<float4> x), { x(0).x = x(0) == x(1); })           // fails
STRETTO_KERNEL(mixes, (inout<float4> x, inout<int4> y), { x(0) = x(0) * y(0); })  // fails
// clang-format off: a line at fault ends with its mark
STRETTO_KERNEL(spreads, (inout<float4> x), { float4 y = 1; x(0) = y; })  // fails
// clang-format on
