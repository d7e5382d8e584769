#include "demo/wave/border.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::wave {
namespace {

// Wanted amplitude after the way out and back; a smaller one steepens the profile.
constexpr double reflection = 1e-4;

std::vector<float> factors(int cells, int width, double courant) {
  std::vector<float> factor(std::size_t(cells), 1.0f);
  if (width == 0) return factor;
  const double peak = 2.0 * courant * std::log(1.0 / reflection) / width;  // s0 dt
  for (int i = 0; i < width; ++i) {
    const double depth = double(width - i) / width;
    const float g = float(std::exp(-peak * depth * depth * depth));
    factor[std::size_t(i)] = g;
    factor[std::size_t(cells - 1 - i)] = g;
  }
  return factor;
}

}  // namespace

border::border(extent size, int width, double courant)
    : size_(size),
      width_(width),
      row_(factors(size.rows, width, courant)),
      column_(factors(size.columns, width, courant)) {}

damping border::part(const rectangle& tile) const {
  // Factors that round to 1 count as plain: what matters is the value.
  const auto plain = [this](int c) { return column_[std::size_t(c)] == 1.0f; };
  int begin = tile.column, end = tile.column_end;
  while (begin < end && !plain(begin)) ++begin;
  while (end > begin && !plain(end - 1)) --end;
  return {row_.data() + tile.row, column_.data() + tile.column, begin - tile.column, end - tile.column};
}

double border::depth_at(int row, int column) const {
  const int to_edge = std::min({row, column, size_.rows - 1 - row, size_.columns - 1 - column});
  return to_edge < width_ ? double(width_ - to_edge) / width_ : 0.0;
}

int border_width(extent size) {
  const int width = std::min(std::min(size.rows, size.columns) / 8, 48);
  return width < 4 ? 0 : width;
}

}  // namespace stretto::wave
