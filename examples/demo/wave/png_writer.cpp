#include "demo/wave/png_writer.hpp"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <new>
#include <span>
#include <string_view>

namespace stretto::wave {
namespace {

using bytes = std::vector<std::byte>;
enum class colour_type : std::uint8_t { grey = 0, rgb = 2, palette = 3 };

void put(bytes& to, std::uint32_t value, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) to.push_back(std::byte(value >> shift & 0xff));
}

void put_chunk(bytes& to, std::string_view type, std::span<const std::byte> data) {
  put(to, std::uint32_t(data.size()), 4);
  const auto start = to.size();
  for (const char c : type) to.push_back(std::byte(c));
  to.insert(to.end(), data.begin(), data.end());
  put(to, std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(&to[start]), uInt(to.size() - start))), 4);
}

bytes file_start(extent size, colour_type type) {
  bytes file;
  for (const char c : std::string_view("\x89PNG\r\n\x1a\n")) file.push_back(std::byte(c));
  bytes header;
  put(header, std::uint32_t(size.columns), 4);
  put(header, std::uint32_t(size.rows), 4);
  put(header, 8, 1);  // bits a sample
  put(header, std::uint32_t(type), 1);
  put(header, 0, 3);  // deflate, the five filters, no interlace
  put_chunk(file, "IHDR", header);
  return file;
}

bytes deflated(const std::vector<std::uint8_t>& plain) {
  auto length = compressBound(uLong(plain.size()));
  bytes packed(length);
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &length, plain.data(), uLong(plain.size()), 6) != Z_OK)
    throw std::bad_alloc();  // the only way this can fail
  packed.resize(length);
  return packed;
}

int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int l = std::abs(guess - left), u = std::abs(guess - up), c = std::abs(guess - corner);
  return l <= u && l <= c ? left : u <= c ? up : corner;
}

/// Rows with the filter whose differences are smallest in sum, which is what usually compresses best.
std::vector<std::uint8_t> filtered(const std::uint8_t* pixels, int rows, std::ptrdiff_t row_bytes, int pixel_bytes) {
  std::vector<std::uint8_t> result;
  result.reserve(std::size_t(rows) * std::size_t(row_bytes + 1));
  const std::vector<std::uint8_t> zero(std::size_t(row_bytes), 0);
  std::array<std::vector<std::uint8_t>, 5> tries;
  for (auto& t : tries) t.resize(std::size_t(row_bytes));
  for (int r = 0; r < rows; ++r) {
    const auto* const row = pixels + r * row_bytes;
    const auto* const above = r ? row - row_bytes : zero.data();
    std::array<long, 5> cost{};
    for (std::ptrdiff_t i = 0; i < row_bytes; ++i) {
      const bool first = i < pixel_bytes;
      const int left = first ? 0 : row[i - pixel_bytes], up = above[i], corner = first ? 0 : above[i - pixel_bytes];
      const std::array<int, 5> guess{0, left, up, (left + up) / 2, paeth(left, up, corner)};
      for (std::size_t f = 0; f < 5; ++f) {
        const auto difference = std::uint8_t(row[i] - guess[f]);
        tries[f][std::size_t(i)] = difference;
        cost[f] += std::abs(int(std::int8_t(difference)));
      }
    }
    std::size_t best = 0;
    for (std::size_t f = 1; f < 5; ++f)
      if (cost[f] < cost[best]) best = f;
    result.push_back(std::uint8_t(best));
    result.insert(result.end(), tries[best].begin(), tries[best].end());
  }
  return result;
}

/// Palette entries are names, not amounts: their differences mean nothing, so rows stay as they are.
std::vector<std::uint8_t> unfiltered(const byte_image& image) {
  std::vector<std::uint8_t> result;
  const auto row_bytes = std::size_t(image.size.columns);
  result.reserve(std::size_t(image.size.rows) * (row_bytes + 1));
  for (std::size_t r = 0; r < std::size_t(image.size.rows); ++r) {
    result.push_back(0);
    const auto row = image.pixels.begin() + std::ptrdiff_t(r * row_bytes);
    result.insert(result.end(), row, row + std::ptrdiff_t(row_bytes));
  }
  return result;
}

bytes still(extent size, colour_type type, const std::vector<std::uint8_t>& rows) {
  auto file = file_start(size, type);
  put_chunk(file, "IDAT", deflated(rows));
  put_chunk(file, "IEND", {});
  return file;
}

}  // namespace

bytes encode_png(const rgb_image& image) {
  static_assert(sizeof(rgb) == 3);
  const auto* const samples = reinterpret_cast<const std::uint8_t*>(image.pixels.data());
  return still(image.size, colour_type::rgb,
               filtered(samples, image.size.rows, 3 * std::ptrdiff_t(image.size.columns), 3));
}

bytes encode_grey_png(const byte_image& image) {
  return still(image.size, colour_type::grey, filtered(image.pixels.data(), image.size.rows, image.size.columns, 1));
}

animated_png::animated_png(extent size, const std::vector<rgb>& palette, int frames_per_second)
    : size_(size), frames_per_second_(std::uint16_t(frames_per_second)) {
  bytes colours;
  for (const auto& c : palette) {
    put(colours, c.red, 1);
    put(colours, c.green, 1);
    put(colours, c.blue, 1);
  }
  put_chunk(palette_chunk_, "PLTE", colours);
}

void animated_png::add(const byte_image& frame) {
  bytes control;
  put(control, sequence_++, 4);
  put(control, std::uint32_t(size_.columns), 4);
  put(control, std::uint32_t(size_.rows), 4);
  put(control, 0, 4);  // at the left
  put(control, 0, 4);  // at the top
  put(control, 1, 2);
  put(control, frames_per_second_, 2);
  put(control, 0, 2);  // leave the frame, overwrite what was there
  put_chunk(frame_chunks_, "fcTL", control);

  const auto pixels = deflated(unfiltered(frame));
  if (frames_++ == 0) {
    put_chunk(frame_chunks_, "IDAT", pixels);  // what viewers without animation show
  } else {
    bytes data;
    put(data, sequence_++, 4);
    data.insert(data.end(), pixels.begin(), pixels.end());
    put_chunk(frame_chunks_, "fdAT", data);
  }
}

bytes animated_png::finish() const {
  auto file = file_start(size_, colour_type::palette);
  bytes control;
  put(control, frames_, 4);
  put(control, 0, 4);  // repeat for ever
  put_chunk(file, "acTL", control);
  file.insert(file.end(), palette_chunk_.begin(), palette_chunk_.end());
  file.insert(file.end(), frame_chunks_.begin(), frame_chunks_.end());
  put_chunk(file, "IEND", {});
  return file;
}

}  // namespace stretto::wave
