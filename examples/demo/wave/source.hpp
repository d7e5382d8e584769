// source.hpp - point sources with a Ricker wavelet.
//
// Threads     pure, apart from writing the field given.
// Source      N. Ricker, "Wavelet functions and their polynomials", Geophysics 9 (1944).
#pragma once

#include <vector>

#include "demo/wave/field.hpp"

namespace stretto::wave {

struct position {
  int row = 0, column = 0;
  bool operator==(const position&) const = default;
};

/// (1 - 2 a) exp(-a) with a = (pi f t)^2: 1 at t = 0, the spectrum's peak at frequency f.
double ricker(double frequency_hz, double time_s);

/// The wavelet at every step, delayed so that it starts from (nearly) zero: its peak is at 1.5 / frequency.
std::vector<float> wavelet(double frequency_hz, double step_s, int steps);

/// Adds a source term to the cells just stepped: c * amplitude at each source that lies in `tile`.
///
///   next         the tile's cells, just stepped
///   tile         where (0, 0) of next and coefficient is in the grid
void inject(field_view<float> next, field_view<const float> coefficient, const rectangle& tile,
            const std::vector<position>& sources, float amplitude);

}  // namespace stretto::wave
