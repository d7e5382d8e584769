// sample_images.hpp - small valid pictures to read, and PNG files written by libpng in the forms that ours never
// writes (colour types, depths, interlacing).
#pragma once

#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "demo/wave/image.hpp"

namespace stretto::wave {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const start = reinterpret_cast<const std::byte*>(text.data());
  return {start, start + text.size()};
}

struct png_form {
  int colour_type = PNG_COLOR_TYPE_GRAY;
  int depth = 8;
  int interlace = PNG_INTERLACE_NONE;
};

/// Writes rows of packed samples as libpng wants them; 16-bit samples big-endian.
inline std::vector<std::byte> png_by_libpng(int width, int height, png_form form,
                                            std::vector<std::vector<std::uint8_t>> rows,
                                            std::vector<png_color> palette = {}) {
  std::vector<std::byte> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) throw std::runtime_error("libpng refused the test's picture");
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, std::size_t n) {
        auto& to = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(p));
        to.insert(to.end(), reinterpret_cast<std::byte*>(data), reinterpret_cast<std::byte*>(data) + n);
      },
      nullptr);
  png_set_IHDR(png, info, png_uint_32(width), png_uint_32(height), form.depth, form.colour_type, form.interlace,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), int(palette.size()));
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (auto& row : rows) pointers.push_back(row.data());
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

/// A grey ramp, 6 x 5: pixel (r, c) is 10 r + 40 c.
inline std::vector<std::vector<std::uint8_t>> ramp() {
  std::vector<std::vector<std::uint8_t>> rows(5, std::vector<std::uint8_t>(6));
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 6; ++c) rows[std::size_t(r)][std::size_t(c)] = std::uint8_t(10 * r + 40 * c);
  return rows;
}

/// A header chunk with a valid checksum and nothing behind it.
std::vector<std::byte> png_header_only(std::uint32_t width, std::uint32_t height);

}  // namespace stretto::wave
