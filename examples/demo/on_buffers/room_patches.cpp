#include "demo/on_buffers/room_patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace on_buffers {
namespace {

using stretto::wave::byte_image, stretto::wave::rgb;

// Axes: 0 is height, 1 width, 2 depth. A wall lies across one of them, at its beginning or its end.
struct wall {
  int axis, end;
  std::array<int, 2> along;                          // the axes of its rows and its columns
  int row, column;                                   // where it is drawn: in widths of the room
  bool rows_turned = false, columns_turned = false;  // so that walls meet as they do where they are folded
};
// A cross: the floor, and around it the walls; the ceiling beyond the far end.
constexpr wall walls[] = {
    {2, 0, {1, 0}, 1, 0, false, true}, {0, 0, {1, 2}, 1, 1}, {2, 1, {1, 0}, 1, 3}, {0, 1, {1, 2}, 1, 4, false, true},
    {1, 0, {0, 2}, 0, 1, true, false}, {1, 1, {0, 2}, 2, 1},
};

int length(const room& r, int axis) { return axis == 2 ? 2 * r.side : r.side; }
int count(const room& r, const wall& w) { return length(r, w.along[0]) * length(r, w.along[1]); }

struct patch {
  std::array<double, 3> at, normal;
};

std::vector<patch> patches_of(const room& r) {
  std::vector<patch> all;
  for (const wall& w : walls)
    for (int i = 0; i < length(r, w.along[0]); ++i)
      for (int j = 0; j < length(r, w.along[1]); ++j) {
        patch& p = all.emplace_back(patch{});
        const auto axis = static_cast<std::size_t>(w.axis), rows = static_cast<std::size_t>(w.along[0]),
                   columns = static_cast<std::size_t>(w.along[1]);
        p.at[axis] = w.end ? length(r, w.axis) : 0;
        p.normal[axis] = w.end ? -1 : 1;
        p.at[rows] = i + 0.5, p.at[columns] = j + 0.5;
      }
  return all;
}

}  // namespace

room make_room(int side) {
  room r{side, 10 * side * side, {}, {}};
  constexpr double steps_of_width = 16;
  const std::vector<patch> all = patches_of(r);
  for (const patch& i : all) {
    double seen = 0;
    const std::size_t first = r.factor.size();
    for (const patch& j : all) {
      double square = 0, out = 0, in = 0;  // distance, and cosines times it
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = j.at[k] - i.at[k];
        square += d * d, out += d * i.normal[k], in -= d * j.normal[k];
      }
      const double f = square > 0 ? std::max(0.0, out) * std::max(0.0, in) / (square * square) : 0;
      r.factor.push_back(static_cast<float>(f));
      r.delay.push_back(1 + static_cast<int>(steps_of_width * std::sqrt(square) / side));
      seen += f;
    }
    for (std::size_t k = first; k < r.factor.size(); ++k)
      r.factor[k] /= static_cast<float>(seen);  // it sees walls all round
  }
  return r;
}

int lamp_of(const room& r) { return r.side / 2 * r.side + r.side / 2; }  // the wall at the near end is the first

byte_image unfolded(const room& r, const float* bright, float most, int pixels) {
  byte_image image{{3 * r.side * pixels, 6 * r.side * pixels}, {}};
  image.pixels.assign(static_cast<std::size_t>(image.size.cells()), 0);
  int first = 0;
  for (const wall& w : walls) {
    const int rows = length(r, w.along[0]), columns = length(r, w.along[1]);
    for (int y = 0; y < rows * pixels; ++y)
      for (int x = 0; x < columns * pixels; ++x) {
        const int i = w.rows_turned ? rows - 1 - y / pixels : y / pixels,
                  j = w.columns_turned ? columns - 1 - x / pixels : x / pixels;
        const float b = bright[first + i * columns + j];
        const double shade = b > 0 ? 1 + std::log10(b / most) / 3 : 0;
        const auto at = (w.row * r.side * pixels + y) * image.size.columns + w.column * r.side * pixels + x;
        image.pixels[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(1 + 254 * std::clamp(shade, 0.0, 1.0));
      }
    first += count(r, w);
  }
  return image;
}

std::vector<rgb> heat_palette() {
  std::vector<rgb> all{{40, 44, 52}};
  for (int n = 1; n < 256; ++n) {
    const double x = (n - 1) / 254.0;
    const auto part = [&](double from, double to) {
      return static_cast<std::uint8_t>(255 * std::clamp((x - from) / (to - from), 0.0, 1.0));
    };
    all.push_back({part(0, 0.45), part(0.3, 0.8), part(0.7, 1)});
  }
  return all;
}

}  // namespace on_buffers
