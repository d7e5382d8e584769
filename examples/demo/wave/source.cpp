#include "demo/wave/source.hpp"

#include <cmath>
#include <numbers>

namespace stretto::wave {

double ricker(double frequency_hz, double time_s) {
  const double x = std::numbers::pi * frequency_hz * time_s;
  return (1.0 - 2.0 * x * x) * std::exp(-x * x);
}

std::vector<float> wavelet(double frequency_hz, double step_s, int steps) {
  std::vector<float> amplitude(std::size_t(steps), 0.0f);
  const double delay = 1.5 / frequency_hz;
  for (int n = 0; n < steps; ++n) {
    const double t = n * step_s - delay;
    // After the wavelet the source is silent: its tail would fill the field with denormal numbers.
    if (t <= delay) amplitude[std::size_t(n)] = float(ricker(frequency_hz, t));
  }
  return amplitude;
}

void inject(field_view<float> next, field_view<const float> coefficient, const rectangle& tile,
            const std::vector<position>& sources, float amplitude) {
  for (const auto& at : sources) {
    if (!tile.contains(at.row, at.column)) continue;
    const int r = at.row - tile.row, c = at.column - tile.column;
    next(r, c) += coefficient(r, c) * amplitude;
  }
}

}  // namespace stretto::wave
