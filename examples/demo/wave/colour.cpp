#include "demo/wave/colour.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::wave {
namespace {

double linear(std::uint8_t value) {
  const double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double light) {
  const double v = std::clamp(light, 0.0, 1.0);
  const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return std::uint8_t(std::lround(255.0 * s));
}

constexpr oklab warm{0.80, 0.095, 0.125};
constexpr oklab cool{0.80, -0.075, -0.115};

}  // namespace

oklab to_oklab(rgb colour) {
  const double r = linear(colour.red), g = linear(colour.green), b = linear(colour.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

rgb to_rgb(const oklab& c) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(c.lightness + 0.3963377774 * c.green_red + 0.2158037573 * c.blue_yellow);
  const double m = cube(c.lightness - 0.1055613458 * c.green_red - 0.0638541728 * c.blue_yellow);
  const double s = cube(c.lightness - 0.0894841775 * c.green_red - 1.2914855480 * c.blue_yellow);
  return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

oklab mixed(const oklab& a, const oklab& b, double share) {
  const auto mix = [share](double x, double y) { return x + share * (y - x); };
  return {mix(a.lightness, b.lightness), mix(a.green_red, b.green_red), mix(a.blue_yellow, b.blue_yellow)};
}

rgb wave_colour(double medium, double amplitude) {
  const oklab ground{0.24 + 0.30 * medium, 0, 0};
  // The root lifts faint arrivals, which would drown beside the direct wave.
  const double strength = std::pow(std::min(1.0, std::abs(amplitude)), 0.7);
  return to_rgb(mixed(ground, amplitude < 0 ? cool : warm, strength));
}

}  // namespace stretto::wave
