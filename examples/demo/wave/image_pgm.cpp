// image_pgm.cpp - Netpbm's grey pictures, plain and raw.
//
// Threads     pure.
#include <fmt/format.h>

#include <optional>

#include "demo/wave/image_faults.hpp"
#include "demo/wave/image_formats.hpp"

namespace stretto::wave {
namespace {

/// Reads the numbers of a PGM file; '#' starts a comment that ends with the line.
class pgm_numbers {
 public:
  explicit pgm_numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The next number; none if the file ends or something else stands there (`at_end` tells). Values stop
  /// growing at 10^12, far above every limit.
  std::optional<std::uint64_t> next() {
    skip_space();
    if (at_end() || !is_digit(peek())) return std::nullopt;
    std::uint64_t value = 0;
    for (; !at_end() && is_digit(peek()); ++position_)
      if (value < 1'000'000'000'000) value = value * 10 + std::uint64_t(peek() - '0');
    return value;
  }

  bool at_end() const { return position_ >= bytes_.size(); }
  std::size_t position() const { return position_; }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  char peek() const { return char(bytes_[position_]); }
  void skip_space() {
    for (; !at_end(); ++position_) {
      if (peek() == '#')
        while (position_ + 1 < bytes_.size() && peek() != '\n') ++position_;
      else if (!is_space(peek())) return;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 2;  // behind "P2" or "P5"
};

error no_number(const pgm_numbers& numbers, const std::string& name, const std::string& what) {
  if (numbers.at_end()) return truncated(name, fmt::format("there is no {}", what));
  return damaged(name, fmt::format("byte {} is not part of {}", numbers.position(), what));
}

error above_maximum(const std::string& name, std::uint64_t value, std::uint64_t maximum, std::size_t pixel) {
  return damaged(name, fmt::format("pixel {} has the value {}, above the maximum {}", pixel, value, maximum));
}

void read_plain(pgm_numbers& numbers, grey_image& image, std::uint64_t maximum, const std::string& name) {
  for (std::size_t i = 0; i < image.grey.size(); ++i) {
    const auto value = numbers.next();
    if (!value) throw no_number(numbers, name, fmt::format("pixel {} of {}", i, image.grey.size()));
    if (*value > maximum) throw above_maximum(name, *value, maximum, i);
    image.grey[i] = float(double(*value) / double(maximum));
  }
}

void read_raw(std::span<const std::byte> pixels, grey_image& image, std::uint64_t maximum, const std::string& name) {
  const bool wide = maximum > 255;
  for (std::size_t i = 0; i < image.grey.size(); ++i) {
    const auto value =
        wide ? std::to_integer<unsigned>(pixels[2 * i]) << 8 | std::to_integer<unsigned>(pixels[2 * i + 1])
             : std::to_integer<unsigned>(pixels[i]);
    if (value > maximum) throw above_maximum(name, value, maximum, i);
    image.grey[i] = float(double(value) / double(maximum));
  }
}

}  // namespace

grey_image decode_pgm(std::span<const std::byte> bytes, const std::string& name) {
  const bool raw = char(bytes[1]) == '5';
  pgm_numbers numbers(bytes);
  const auto header = [&](const char* what) {
    const auto value = numbers.next();
    if (!value) throw no_number(numbers, name, what);
    return *value;
  };
  const auto width = header("width");
  const auto height = header("height");
  const auto maximum = header("maximum");
  const auto size = checked_size(width, height, name);
  if (maximum == 0 || maximum > 65535)
    throw damaged(name, fmt::format("its maximum is {}, where 1 to 65535 are possible", maximum));

  // One byte of white space stands before raw pixels; plain ones take a digit and a space each but for the last.
  const auto pixels = std::size_t(size.cells());
  const auto start = numbers.position() + 1;
  const auto needed = raw ? start + pixels * (maximum > 255 ? 2 : 1) : start + 2 * pixels - 1;
  if (bytes.size() < needed)
    throw truncated(name, fmt::format("{} x {} pixels need at least {} bytes, the file has {}", width, height, needed,
                                      bytes.size()));
  grey_image image{size, std::vector<float>(pixels)};
  if (raw) read_raw(bytes.subspan(start), image, maximum, name);
  else read_plain(numbers, image, maximum, name);
  return image;
}

}  // namespace stretto::wave
