// colour.hpp - the colours of a wave over its medium.
//
// Threads     pure.
// Why         amplitudes diverge from zero, so pushes are warm and pulls cool, equally light and equally
//             colourful; between them shines the medium in subdued grey. Mixing happens in Oklab, where equal
//             steps look equal.
// Source      B. Ottosson, "A perceptual color space for image processing" (Oklab), 2020: the two matrices.
#pragma once

#include "demo/wave/png_writer.hpp"

namespace stretto::wave {

struct oklab {
  double lightness = 0, green_red = 0, blue_yellow = 0;
};

oklab to_oklab(rgb colour);
/// Clipped to what a screen shows.
rgb to_rgb(const oklab& colour);
oklab mixed(const oklab& a, const oklab& b, double share_of_b);

/// A pixel's colour.
///
///   medium      0 slowest to 1 fastest
///   amplitude   -1 to 1, values beyond are clipped
rgb wave_colour(double medium, double amplitude);

}  // namespace stretto::wave
