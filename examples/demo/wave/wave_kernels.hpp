// wave_kernels.hpp - a step of the wave, and a source, as kernels: the arithmetic of step_rows.hpp, in its order.
//
// Threads     kernels.
// Invariants  where nothing is damped the factors are 1, and change nothing.
#pragma once

#include <stretto/kernel.hpp>

// clang-format off
STRETTO_DEVICE_FUNCTION(float, wave_undamped, (in<float, 2> u, int i, int j, float c), {
  const float near = (u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1));
  const float far = (u(i - 2, j) + u(i + 2, j)) + (u(i, j - 2) + u(i, j + 2));
  const float laplacian = (4.0f / 3.0f * near - 1.0f / 12.0f * far) - 5.0f * u(i, j);
  return (u(i, j) + u(i, j)) + c * laplacian;
})

STRETTO_KERNEL(wave_step, (inout<float, 2> older, in<float, 2> u, in<float, 2> c, in<float> row, in<float> column), {
  denormals_are_zero();  // of which there is a belt around every wave
  const int i = global_id(0), j = global_id(1);
  const float g = row(i) * column(j);
  older(i, j) = g * (wave_undamped(u, i, j, c(i, j)) - g * older(i, j));
})

STRETTO_KERNEL(wave_inject, (inout<float, 2> next, in<float, 2> c, float amplitude), {
  const int i = global_id(0), j = global_id(1);
  next(i, j) += c(i, j) * amplitude;
})
// clang-format on
