#include "demo/on_buffers/picture_sheet.hpp"

namespace on_buffers {

using namespace stretto;

wave::rgb_image sheet_of(const std::vector<wave::byte_image>& pictures, const std::vector<wave::rgb>& palette,
                         int columns, int gap) {
  const wave::extent one = pictures[0].size;
  const int count = static_cast<int>(pictures.size()), rows = (count + columns - 1) / columns;
  wave::rgb_image sheet{{rows * (one.rows + gap) + gap, columns * (one.columns + gap) + gap}, {}};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.size.cells()), palette[0]);
  for (int n = 0; n < count; ++n) {
    const int top = gap + n / columns * (one.rows + gap), left = gap + n % columns * (one.columns + gap);
    for (int y = 0; y < one.rows; ++y)
      for (int x = 0; x < one.columns; ++x)
        sheet.pixels[static_cast<std::size_t>((top + y) * sheet.size.columns + left + x)] =
            palette[pictures[static_cast<std::size_t>(n)].pixels[static_cast<std::size_t>(y * one.columns + x)]];
  }
  return sheet;
}

}  // namespace on_buffers
