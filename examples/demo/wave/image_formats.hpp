// image_formats.hpp - the decoders behind decode_image, one per format.
//
// Threads     pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "demo/wave/grey_image.hpp"

namespace stretto::wave {

grey_image decode_png(std::span<const std::byte> bytes, const std::string& name);
grey_image decode_pgm(std::span<const std::byte> bytes, const std::string& name);

}  // namespace stretto::wave
