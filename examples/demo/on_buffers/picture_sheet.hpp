// picture_sheet.hpp - arranges several pictures of one size in a grid.
//
// Threads     pure.
#pragma once

#include <vector>

#include "demo/wave/png_writer.hpp"

namespace on_buffers {

/// By rows, at least one; between them and around all is `gap` of the palette's first colour.
stretto::wave::rgb_image sheet_of(const std::vector<stretto::wave::byte_image>& pictures,
                                  const std::vector<stretto::wave::rgb>& palette, int columns, int gap);

}  // namespace on_buffers
