// image.hpp - grey pictures from PNG and PGM files, made for files of unknown origin.
//
// Threads     pure, but for read_image, which reads one file.
// Limits      largest_image pixels, longest_side, largest_file; checked before memory is taken for the picture.
// Errors      W20 unreadable, W21 not an image, W22 truncated, W23 zero size, W24 huge, W25 unsupported kind,
//             W26 damaged.
// Source      PNG: ISO/IEC 15948, read through libpng. PGM: the Netpbm format, plain (P2) and raw (P5).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "demo/wave/grey_image.hpp"

namespace stretto::wave {

/// Reads a PNG (any colour type, 1 to 16 bits) or PGM (P2, P5, up to 16 bits) picture.
///
/// Colours become luminance, 0.2126 R + 0.7152 G + 0.0722 B of the stored values; transparency and gamma are
/// ignored, because the grey stands for a velocity and not for light.
///
///   throws   error W20 to W26, with the file's name
grey_image read_image(const std::filesystem::path& file);

/// The same from memory; `name` is what errors call it.
grey_image decode_image(std::span<const std::byte> bytes, const std::string& name);

}  // namespace stretto::wave
