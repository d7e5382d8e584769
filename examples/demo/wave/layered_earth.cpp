#include "demo/wave/layered_earth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stretto::wave {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double black_mps = 1500, white_mps = 4500;

struct layer {
  double top_m;         // at the left edge
  double velocity_mps;  // at its top, and how that grows downwards
  double gain_per_s;
};
constexpr std::array<layer, 6> layers{{{0, 1800, 0.20},
                                       {700, 2150, 0.15},
                                       {1350, 2000, 0.15},
                                       {1900, 2650, 0.20},
                                       {2750, 2400, 0.15},
                                       {3400, 3100, 0.20}}};
constexpr double basement_top_m = 4300, basement_mps = 3900;

double sea_floor(double x) { return 680 + 60 * std::sin(2 * pi * x / 5200) + 0.012 * x; }

/// Depth below the sea floor as it was when the layers were laid down: the dip, the fold and the fault undone.
double stratum(double x, double depth) {
  const double dip = 0.085 * x;
  const double fold = 280 * std::exp(-std::pow((x - 2600) / 1300, 2));  // an arch, its crest at 2.6 km
  const bool dropped = x > 5350 + 0.42 * (depth - 3000);                // the fault leans to the right
  return depth - sea_floor(x) - dip + fold - (dropped ? 420 : 0);
}

bool in_salt(double x, double depth) {
  const double stem = 330 + 0.00008 * std::pow(depth - 3400, 2);  // half width: narrow waist, wide root
  const double lean = 4550 - 0.10 * (depth - 2200);
  const double cap = std::pow((x - 4600) / 900, 2) + std::pow((depth - 2250 - 0.08 * (x - 4600)) / 430, 2);
  return cap < 1 || (depth > 2250 && std::abs(x - lean) < stem);
}

bool in_gas(double x, double depth) {
  const double across = (x - 2500) / 620;
  return std::abs(across) < 1 && std::abs(depth - 1850 - 55 * across * across) < 95 * (1 - across * across);
}

}  // namespace

double layered_earth_mps(double x, double depth) {
  if (depth < sea_floor(x)) return 1500;
  if (in_salt(x, depth)) return 4500;
  if (in_gas(x, depth)) return 1750;
  const double s = stratum(x, depth);
  if (s >= basement_top_m) return basement_mps + 0.12 * (s - basement_top_m);
  const layer* at = &layers[0];
  for (const auto& l : layers)
    if (s >= l.top_m) at = &l;
  const double beds = 45 * std::sin(2 * pi * s / 130);  // thin beds inside each layer
  return at->velocity_mps + at->gain_per_s * std::max(0.0, s - at->top_m) + beds;
}

byte_image layered_earth(extent size) {
  constexpr int points = 4;
  byte_image picture{size, {}};
  const double step_x = layered_earth_width_m / (size.columns * points);
  const double step_z = layered_earth_depth_m / (size.rows * points);
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) {
      double sum = 0;
      for (int i = 0; i < points; ++i)
        for (int j = 0; j < points; ++j)
          sum += layered_earth_mps((c * points + j + 0.5) * step_x, (r * points + i + 0.5) * step_z);
      const double grey = (sum / (points * points) - black_mps) / (white_mps - black_mps);
      picture.pixels.push_back(std::uint8_t(std::lround(255 * std::min(1.0, std::max(0.0, grey)))));
    }
  return picture;
}

}  // namespace stretto::wave
