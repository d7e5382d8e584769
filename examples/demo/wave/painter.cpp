#include "demo/wave/painter.hpp"

#include <algorithm>
#include <cmath>

#include "demo/wave/colour.hpp"

namespace stretto::wave {
namespace {

constexpr double border_dimming = 0.4;  // of the range between the slowest and the fastest medium
constexpr rgb mark_core{255, 255, 255}, mark_rim{16, 16, 16};

// The palette of frames: grounds x amplitudes, then the two colours of the marks.
constexpr int ground_levels = 8, amplitude_levels = 31;
constexpr auto core_index = std::uint8_t(ground_levels * amplitude_levels);
constexpr auto rim_index = std::uint8_t(core_index + 1);

/// The mean of every block of block x block cells; fewer at the right and lower edges.
template <class Value>
std::vector<float> block_means(extent cells, int block, extent pixels, const Value& value) {
  std::vector<float> means;
  means.reserve(std::size_t(pixels.cells()));
  for (int r = 0; r < pixels.rows; ++r)
    for (int c = 0; c < pixels.columns; ++c) {
      const int row_end = std::min(cells.rows, (r + 1) * block), column_end = std::min(cells.columns, (c + 1) * block);
      double sum = 0;
      for (int i = r * block; i < row_end; ++i)
        for (int j = c * block; j < column_end; ++j) sum += value(i, j);
      means.push_back(float(sum / ((row_end - r * block) * (column_end - c * block))));
    }
  return means;
}

constexpr double darkest = -border_dimming;

/// wave_colour at 128 grounds and 511 amplitudes, finer than eight bits show: computing it for every pixel would
/// take longer than the waves.
class colour_table {
 public:
  colour_table() {
    for (int g = 0; g < grounds; ++g)
      for (int a = 0; a < amplitudes; ++a)
        colours_.push_back(wave_colour(darkest + (1 - darkest) * g / (grounds - 1), 2.0 * a / (amplitudes - 1) - 1));
  }
  rgb at(float ground, float amplitude) const {
    const auto g = std::lround((ground - darkest) / (1 - darkest) * (grounds - 1));
    const auto a = std::lround((amplitude + 1) / 2 * (amplitudes - 1));
    return colours_[std::size_t(g * amplitudes + a)];
  }

 private:
  static constexpr int grounds = 128, amplitudes = 511;
  std::vector<rgb> colours_;
};

/// The amplitude to show as full: the 99th percentile of those that are not negligible; 0 if all are zero.
float full_amplitude(const std::vector<float>& u) {
  std::vector<float> moving;
  float largest = 0;
  for (const float x : u) largest = std::max(largest, std::abs(x));
  for (const float x : u)
    if (std::abs(x) > 0.002f * largest) moving.push_back(std::abs(x));
  if (moving.empty()) return 0;
  const auto at = moving.begin() + std::ptrdiff_t(0.99 * double(moving.size() - 1));
  std::nth_element(moving.begin(), at, moving.end());
  return *at;
}

}  // namespace

painter::painter(const medium& ground, const border& edge, const std::vector<position>& sources, int longest_side) {
  const auto cells = ground.size;
  cells_per_pixel_ = (std::max(cells.rows, cells.columns) + longest_side - 1) / longest_side;
  const int block = cells_per_pixel_;
  size_ = {(cells.rows + block - 1) / block, (cells.columns + block - 1) / block};
  const double range = std::max(1.0f, ground.fastest_mps - ground.slowest_mps);
  ground_ = block_means(cells, block, size_, [&](int r, int c) {
    const double velocity = ground.velocity_mps[std::size_t(r) * std::size_t(cells.columns) + std::size_t(c)];
    return (velocity - ground.slowest_mps) / range;
  });
  depth_ = block_means(cells, block, size_, [&](int r, int c) { return edge.depth_at(r, c); });

  marks_.resize(ground_.size());
  const double core = std::max(2.0, std::max(size_.rows, size_.columns) / 200.0), rim = core + std::max(1.0, core / 3);
  const int reach = int(rim) + 2;
  for (const auto& at : sources) {
    const double row = (at.row + 0.5) / block, column = (at.column + 0.5) / block;
    for (int r = std::max(0, int(row) - reach); r < std::min(size_.rows, int(row) + reach + 1); ++r)
      for (int c = std::max(0, int(column) - reach); c < std::min(size_.columns, int(column) + reach + 1); ++c) {
        const double distance = std::hypot(r + 0.5 - row, c + 0.5 - column);
        const auto cover = float(std::clamp(rim + 0.5 - distance, 0.0, 1.0));
        auto& m = marks_[std::size_t(r) * std::size_t(size_.columns) + std::size_t(c)];
        if (cover > m.cover) m = {cover, distance > core};
      }
  }
}

std::vector<float> painter::amplitudes(field_view<const float> u) const {
  auto shown = block_means(u.size, cells_per_pixel_, size_, [&](int r, int c) { return u(r, c); });
  if (const float full = full_amplitude(shown); full > 0)
    for (auto& a : shown) a = std::clamp(a / full, -1.0f, 1.0f);
  return shown;
}

rgb_image painter::still(field_view<const float> u) const {
  const auto shown = amplitudes(u);
  const colour_table colours;
  rgb_image picture{size_, {}};
  picture.pixels.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto colour = colours.at(ground_[i] - float(border_dimming) * depth_[i], shown[i]);
    if (const auto& m = marks_[i]; m.cover > 0)
      colour = to_rgb(mixed(to_oklab(colour), to_oklab(m.rim ? mark_rim : mark_core), m.cover));
    picture.pixels.push_back(colour);
  }
  return picture;
}

byte_image painter::frame(field_view<const float> u) const {
  const auto shown = amplitudes(u);
  byte_image picture{size_, {}};
  picture.pixels.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto level = std::lround(ground_[i] * (ground_levels - 1));
    const auto amplitude = std::lround((shown[i] + 1) / 2 * (amplitude_levels - 1));
    auto index = std::uint8_t(level * amplitude_levels + int(amplitude));
    if (marks_[i].cover > 0.5f) index = marks_[i].rim ? rim_index : core_index;
    picture.pixels.push_back(index);
  }
  return picture;
}

std::vector<rgb> painter::palette() {
  std::vector<rgb> colours;
  for (int g = 0; g < ground_levels; ++g)
    for (int a = 0; a < amplitude_levels; ++a)
      colours.push_back(wave_colour(double(g) / (ground_levels - 1), 2.0 * a / (amplitude_levels - 1) - 1));
  colours.push_back(mark_core);
  colours.push_back(mark_rim);
  return colours;
}

}  // namespace stretto::wave
