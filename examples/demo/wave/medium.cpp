#include "demo/wave/medium.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::wave {
namespace {

constexpr double courant = 0.5;
constexpr double cells_per_wavelength = 12;

struct tap {
  int first = 0;
  std::vector<float> weight;
};

/// The weights that make each of `to` cells from `from` cells along one axis.
std::vector<tap> triangle_taps(int from, int to) {
  std::vector<tap> taps;
  taps.reserve(std::size_t(to));
  const double ratio = double(from) / to, reach = std::max(1.0, ratio);
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * ratio - 0.5;
    const int first = std::max(0, int(std::ceil(centre - reach)));
    const int last = std::min(from - 1, int(std::floor(centre + reach)));
    tap t{first, {}};
    double sum = 0;
    for (int k = first; k <= last; ++k) {
      const double w = std::max(0.0, 1.0 - std::abs(k - centre) / reach);
      t.weight.push_back(float(w));
      sum += w;
    }
    for (auto& w : t.weight) w = float(w / sum);
    taps.push_back(std::move(t));
  }
  return taps;
}

}  // namespace

grey_image resample(const grey_image& image, extent size) {
  if (size == image.size) return image;
  const auto across = triangle_taps(image.size.columns, size.columns);
  const auto down = triangle_taps(image.size.rows, size.rows);
  const auto columns = std::size_t(size.columns);
  std::vector<float> narrow(std::size_t(image.size.rows) * columns);
  for (int r = 0; r < image.size.rows; ++r) {
    const float* const from = &image.grey[std::size_t(r) * std::size_t(image.size.columns)];
    for (std::size_t c = 0; c < columns; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < across[c].weight.size(); ++k)
        sum += across[c].weight[k] * from[std::size_t(across[c].first) + k];
      narrow[std::size_t(r) * columns + c] = sum;
    }
  }
  grey_image result{size, std::vector<float>(std::size_t(size.cells()), 0.0f)};
  for (std::size_t r = 0; r < std::size_t(size.rows); ++r) {
    float* const to = &result.grey[r * columns];
    for (std::size_t k = 0; k < down[r].weight.size(); ++k) {
      const float weight = down[r].weight[k];
      const float* const from = &narrow[(std::size_t(down[r].first) + k) * columns];
      for (std::size_t c = 0; c < columns; ++c) to[c] += weight * from[c];
    }
    for (std::size_t c = 0; c < columns; ++c) to[c] = std::clamp(to[c], 0.0f, 1.0f);
  }
  return result;
}

medium make_medium(const grey_image& image, velocity_range range, double spacing_m) {
  medium ground{image.size, spacing_m, {}, 0, 0};
  ground.velocity_mps.reserve(image.grey.size());
  for (const float grey : image.grey)
    ground.velocity_mps.push_back(float(range.black_mps + grey * (range.white_mps - range.black_mps)));
  const auto [low, high] = std::minmax_element(ground.velocity_mps.begin(), ground.velocity_mps.end());
  ground.slowest_mps = *low;
  ground.fastest_mps = *high;
  return ground;
}

time_scale choose_time_scale(const medium& ground) {
  return {courant, courant * ground.spacing_m / ground.fastest_mps,
          ground.slowest_mps / (cells_per_wavelength * ground.spacing_m)};
}

field coefficients(const medium& ground, double step_s) {
  field result(ground.size);
  const double scale = step_s / ground.spacing_m;
  std::size_t cell = 0;
  for (int r = 0; r < ground.size.rows; ++r)
    for (int c = 0; c < ground.size.columns; ++c) {
      const double per_step = ground.velocity_mps[cell++] * scale;
      result(r, c) = float(per_step * per_step);
    }
  return result;
}

}  // namespace stretto::wave
