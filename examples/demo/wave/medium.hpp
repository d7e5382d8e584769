// medium.hpp - from a grey picture to velocities, and from velocities to the numbers of the scheme.
//
// Threads     pure.
#pragma once

#include <vector>

#include "demo/wave/field.hpp"
#include "demo/wave/image.hpp"

namespace stretto::wave {

/// The grey values at another size: a triangle filter as wide as the larger of the two grids' cells, so
/// enlarging is linear interpolation and shrinking averages. Cost: O(new cells * widths of the filter).
grey_image resample(const grey_image& image, extent size);

/// The ground: wave velocity of each cell, and how wide a cell is.
struct medium {
  extent size;
  double spacing_m = 0;
  std::vector<float> velocity_mps;  // row-major
  float slowest_mps = 0, fastest_mps = 0;
};

struct velocity_range {
  double black_mps = 1500, white_mps = 4500;
};

/// Grey 0 is black_mps, grey 1 white_mps, linear between.
medium make_medium(const grey_image& image, velocity_range range, double spacing_m);

/// The parameters of the scheme, derived from the medium.
struct time_scale {
  double courant = 0;       // fastest v dt / h
  double step_s = 0;        // dt
  double frequency_hz = 0;  // peak of the sources' wavelet
};

/// courant 0.5, of at most sqrt(3/8) = 0.61 (stencil.hpp). The frequency puts 12 cells on the slowest medium's
/// wavelength, so about 5 on the shortest wave that a Ricker wavelet excites noticeably (2.5 times its peak).
time_scale choose_time_scale(const medium& ground);

/// c = (v dt / h)^2 of every cell.
field coefficients(const medium& ground, double step_s);

}  // namespace stretto::wave
