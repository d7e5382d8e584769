// layered_earth.hpp - the medium that ships with the demonstration: a made-up piece of the earth's crust under a
// shallow sea, drawn from formulas.
//
// Threads     pure.
#pragma once

#include "demo/wave/png_writer.hpp"

namespace stretto::wave {

inline constexpr double layered_earth_width_m = 8000, layered_earth_depth_m = 6000;

/// Velocity at a point, in m/s: sea, six dipping and folded layers over a basement, cut by a fault that drops
/// their right-hand side by 420 m, with a salt body (4500 m/s) that has risen through them and a lens of gas sand
/// (1750 m/s) under the crest of the fold.
double layered_earth_mps(double x_m, double depth_m);

/// The picture of it, 1500 m/s black to 4500 m/s white, each pixel the mean of 4 x 4 points.
byte_image layered_earth(extent size);

}  // namespace stretto::wave
