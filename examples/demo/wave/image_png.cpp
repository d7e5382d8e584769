// image_png.cpp - PNG pictures through libpng.
//
// Threads     pure.
// Why setjmp  libpng reports errors by longjmp, which must not pass over C++ objects: see png_reader::guarded.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "demo/wave/image_faults.hpp"
#include "demo/wave/image_formats.hpp"

namespace stretto::wave {
namespace {

/// libpng's state over bytes in memory. Its errors jump; guarded() is where they land.
class png_reader {
 public:
  explicit png_reader(std::span<const std::byte> bytes) : bytes_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, longest_side, longest_side);
  }
  png_reader(const png_reader&) = delete;
  png_reader& operator=(const png_reader&) = delete;
  ~png_reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Runs calls to libpng; throws W22 or W26 if one of them fails. An error jumps over the frames of `calls`,
  /// so nothing in there may own anything.
  template <class Calls>
  void guarded(const std::string& name, const Calls& calls) {
    if (!succeeds(calls))
      throw at_end_ ? truncated(name, "its data ends before its last chunk") : damaged(name, message_);
  }

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  template <class Calls>
  [[gnu::noinline]] bool succeeds(const Calls& calls) {
    if (setjmp(png_jmpbuf(png_))) return false;
    calls(png_, info_);
    return true;
  }

  static void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto& self = *static_cast<png_reader*>(png_get_io_ptr(png));
    if (count > self.bytes_.size()) {
      self.at_end_ = true;
      png_error(png, "end of file");
    }
    std::memcpy(to, self.bytes_.data(), count);
    self.bytes_ = self.bytes_.subspan(count);
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& self = *static_cast<png_reader*>(png_get_error_ptr(png));
    const auto length = std::min(std::strlen(text), sizeof self.message_ - 1);
    std::memcpy(self.message_, text, length);
    self.message_[length] = '\0';
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::span<const std::byte> bytes_;
  bool at_end_ = false;
  char message_[128] = {};
};

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (const auto b : bytes.first(4)) value = value << 8 | std::to_integer<std::uint32_t>(b);
  return value;
}

/// The size in the header chunk, read here because libpng would refuse zero and huge ones as one fault.
extent header_size(std::span<const std::byte> bytes, const std::string& name) {
  constexpr std::size_t header_end = 8 + 8 + 13 + 4;  // signature, chunk head, IHDR, checksum
  if (bytes.size() < header_end) throw truncated(name, "its data ends inside the header");
  if (std::memcmp(&bytes[12], "IHDR", 4) != 0) throw damaged(name, "its first chunk is not the header");
  return checked_size(big_endian(bytes.subspan(16)), big_endian(bytes.subspan(20)), name);
}

/// One row of 8 or 16 bit samples, 1 or 3 to the pixel, as grey from 0 to 1.
void to_grey(const png_byte* samples, bool wide, int channels, float* grey, int columns) {
  const auto value = [&](int i) {
    return wide ? double(samples[2 * i] << 8 | samples[2 * i + 1]) / 65535.0 : double(samples[i]) / 255.0;
  };
  for (int c = 0; c < columns; ++c)
    grey[c] =
        float(channels == 1 ? value(c) : 0.2126 * value(3 * c) + 0.7152 * value(3 * c + 1) + 0.0722 * value(3 * c + 2));
}

}  // namespace

grey_image decode_png(std::span<const std::byte> bytes, const std::string& name) {
  const auto size = header_size(bytes, name);
  png_reader reader(bytes);
  reader.guarded(name, [](png_structp png, png_infop info) {
    png_read_info(png, info);
    png_set_expand(png);  // palette to colours, 1 to 4 bits to 8
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
  });
  const auto row_bytes = png_get_rowbytes(reader.png(), reader.info());
  const bool wide = png_get_bit_depth(reader.png(), reader.info()) == 16;
  const int channels = png_get_channels(reader.png(), reader.info());

  // Deflate never shrinks to less than 1/1032: a small file cannot claim the memory of a large picture.
  const auto claimed = (std::uint64_t(size.cells()) + 7) / 8;
  if (claimed / 1032 > bytes.size())
    throw truncated(name,
                    fmt::format("{} x {} pixels cannot fit into {} bytes", size.columns, size.rows, bytes.size()));

  grey_image image{size, std::vector<float>(std::size_t(size.cells()))};
  const auto row_of = [&](int r) { return image.grey.data() + std::ptrdiff_t(r) * size.columns; };
  if (png_get_interlace_type(reader.png(), reader.info()) == PNG_INTERLACE_NONE) {
    std::vector<png_byte> row(row_bytes);
    for (int r = 0; r < size.rows; ++r) {
      reader.guarded(name, [&](png_structp png, png_infop) { png_read_row(png, row.data(), nullptr); });
      to_grey(row.data(), wide, channels, row_of(r), size.columns);
    }
  } else {
    std::vector<png_byte> pixels(row_bytes * std::size_t(size.rows));
    std::vector<png_bytep> rows;
    for (int r = 0; r < size.rows; ++r) rows.push_back(pixels.data() + row_bytes * std::size_t(r));
    reader.guarded(name, [&](png_structp png, png_infop) { png_read_image(png, rows.data()); });
    for (int r = 0; r < size.rows; ++r) to_grey(rows[std::size_t(r)], wide, channels, row_of(r), size.columns);
  }
  reader.guarded(name, [](png_structp png, png_infop) { png_read_end(png, nullptr); });
  return image;
}

}  // namespace stretto::wave
