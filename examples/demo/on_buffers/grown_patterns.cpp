#include "demo/on_buffers/grown_patterns.hpp"

#include <bit>

namespace on_buffers {

using namespace stretto;

int wrong_parities(const patterns::numbers& all) {
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) wrong += all[i] != std::popcount(i) % 2;
  return wrong;
}

int wrong_binomials(const patterns::numbers& all, int rows) {
  int wrong = 0;
  for (int t = 0; t < rows; ++t)
    for (int i = 0; i < rows; ++i) wrong += all[static_cast<std::size_t>(t * rows + i)] != ((i & ~t) == 0);
  return wrong;
}

int wrong_trinomials(const patterns::numbers& all, int layers) {
  int wrong = 0;
  for (int t = 0; t < layers; ++t)
    for (int i = 0; i < layers; ++i)
      for (int j = 0; j < layers; ++j)
        wrong += all[static_cast<std::size_t>((t * layers + i) * layers + j)] != (((i | j) & ~t) == 0 && (i & j) == 0);
  return wrong;
}

wave::rgb_image flat_picture(const patterns::numbers& all, int wide, int pixels) {
  const int high = static_cast<int>(all.size()) / wide;
  wave::rgb_image image{{high * pixels, wide * pixels}, {}};
  for (int y = 0; y < image.size.rows; ++y)
    for (int x = 0; x < image.size.columns; ++x) {
      const int row = y / pixels, column = x / pixels;
      const double warm = static_cast<double>(row + column) / (high + wide);
      const wave::rgb bright{static_cast<std::uint8_t>(90 + 160 * warm), static_cast<std::uint8_t>(170),
                             static_cast<std::uint8_t>(240 - 150 * warm)};
      image.pixels.push_back(all[static_cast<std::size_t>(row * wide + column)] ? bright : wave::rgb{16, 20, 32});
    }
  return image;
}

wave::rgb_image picture_of_layers(const patterns::numbers& all, int layers, int pixels) {
  const int half = pixels / 2, wide = 2 * layers * pixels + 2 * pixels;
  wave::rgb_image image{{layers * pixels + 3 * pixels, wide},
                        {}};  // ones have i + j <= t, and so none is lower than the first
  image.pixels.assign(static_cast<std::size_t>(image.size.cells()), {16, 20, 32});
  const auto at = [&](int y, int x) -> wave::rgb& { return image.pixels[static_cast<std::size_t>(y * wide + x)]; };
  for (int t = 0; t < layers; ++t)  // from what is hidden to what hides it
    for (int i = 0; i < layers; ++i)
      for (int j = 0; j < layers; ++j) {
        if (!all[static_cast<std::size_t>((t * layers + i) * layers + j)]) continue;
        const int left = wide / 2 + (j - i - 1) * pixels, top = pixels / 2 + (i + j) * half + (layers - t) * pixels;
        const double warm = static_cast<double>(t) / layers;
        const auto shaded = [warm](double light) {
          return wave::rgb{static_cast<std::uint8_t>(light * (90 + 160 * warm)), static_cast<std::uint8_t>(light * 180),
                           static_cast<std::uint8_t>(light * (240 - 150 * warm))};
        };
        for (int x = 0; x < 2 * pixels; ++x) {
          const int from_edge = x < pixels ? x : 2 * pixels - 1 - x,
                    bend = from_edge / 2;  // the upper face is twice as wide as it is high
          for (int y = half - bend; y <= half + bend; ++y) at(top + y, left + x) = shaded(1);
          for (int y = half + bend + 1; y <= half + bend + pixels; ++y)
            at(top + y, left + x) = shaded(x < pixels ? 0.7 : 0.45);
        }
      }
  return image;
}

}  // namespace on_buffers
