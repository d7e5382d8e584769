// step_rows.hpp - the loops of the stencil, to be inlined into one function per instruction set.
//
// Threads     pure, apart from writing `older`.
// Invariants  built with -ffp-contract=off: every instruction set then rounds the same operations in the same
//             order, so all of them, and the remainders of their vector loops, give the same bits.
#pragma once

#include <vector>

#include "demo/wave/stencil.hpp"

namespace stretto::wave {

struct step_variant {
  const char* name;
  void (*step)(field_view<float>, field_view<const float>, field_view<const float>, const damping&);
};

/// The variants of step_tile that this machine runs, the widest last. Which ones exist is decided by the file
/// that the build picks for the architecture: step_x86_64.cpp or step_generic.cpp, which defines step_tile too.
std::vector<step_variant> runnable_steps();

namespace {

[[gnu::always_inline]] inline float undamped(const float* u, std::ptrdiff_t s, float c) {
  const float near = (u[-s] + u[s]) + (u[-1] + u[1]);
  const float far = (u[-2 * s] + u[2 * s]) + (u[-2] + u[2]);
  const float laplacian = (4.0f / 3.0f * near - 1.0f / 12.0f * far) - 5.0f * u[0];
  return (u[0] + u[0]) + c * laplacian;
}

[[gnu::always_inline]] inline void step_plain(float* __restrict older, const float* __restrict u, std::ptrdiff_t s,
                                              const float* __restrict c, int begin, int end) {
  for (int j = begin; j < end; ++j) older[j] = undamped(u + j, s, c[j]) - older[j];
}

[[gnu::always_inline]] inline void step_damped(float* __restrict older, const float* __restrict u, std::ptrdiff_t s,
                                               const float* __restrict c, float row, const float* __restrict column,
                                               int begin, int end) {
  for (int j = begin; j < end; ++j) {
    const float g = row * column[j];
    older[j] = g * (undamped(u + j, s, c[j]) - g * older[j]);
  }
}

[[gnu::always_inline]] inline void step_rows(field_view<float> older, field_view<const float> current,
                                             field_view<const float> coefficient, const damping& border) {
  const int columns = older.size.columns;
  for (int r = 0; r < older.size.rows; ++r) {
    float* const o = older.row(r);
    const float* const u = current.row(r);
    const float* const c = coefficient.row(r);
    const float row = border.row[r];
    if (row != 1.0f) {
      step_damped(o, u, current.stride, c, row, border.column, 0, columns);
    } else {
      step_damped(o, u, current.stride, c, row, border.column, 0, border.plain_begin);
      step_plain(o, u, current.stride, c, border.plain_begin, border.plain_end);
      step_damped(o, u, current.stride, c, row, border.column, border.plain_end, columns);
    }
  }
}

}  // namespace
}  // namespace stretto::wave
