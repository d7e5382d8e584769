// random_field.hpp - fields of repeatable noise, and the stencil spelt out cell by cell as an oracle.
#pragma once

#include <random>

#include "demo/wave/stencil.hpp"

namespace stretto::wave {

/// Cells in [low, high); with `beyond`, the halo too.
enum class noise { cells, cells_and_halo };

inline field random_field(extent size, unsigned seed, float low, float high, noise where = noise::cells) {
  field f(size);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> value(low, high);
  const int edge = where == noise::cells ? 0 : halo;
  for (int r = -edge; r < size.rows + edge; ++r)
    for (int c = -edge; c < size.columns + edge; ++c) f(r, c) = value(generator);
  return f;
}

/// next of one cell, in the order of operations that stencil.hpp promises, all in float.
inline float next_by_hand(float older, field_view<const float> u, int r, int c, float coefficient, float g) {
  const float near = (u(r - 1, c) + u(r + 1, c)) + (u(r, c - 1) + u(r, c + 1));
  const float far = (u(r - 2, c) + u(r + 2, c)) + (u(r, c - 2) + u(r, c + 2));
  const float laplacian = (4.0f / 3.0f * near - 1.0f / 12.0f * far) - 5.0f * u(r, c);
  const float undamped = (u(r, c) + u(r, c)) + coefficient * laplacian;
  return g * (undamped - g * older);
}

}  // namespace stretto::wave
