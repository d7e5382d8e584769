// png_writer.hpp - still and animated PNG pictures as bytes.
//
// Threads     pure; an animation is its owner's.
// Source      PNG: ISO/IEC 15948. Animations: the APNG chunks acTL, fcTL and fdAT of the PNG specification's third
//             edition; viewers that know nothing of them show the first frame. The chunk writer is ours, on zlib,
//             because libpng writes no animations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "demo/wave/field.hpp"

namespace stretto::wave {

struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const rgb&) const = default;
};

struct rgb_image {
  extent size;
  std::vector<rgb> pixels;  // row-major
};

/// Eight bits a pixel: a grey value, or a place in a palette.
struct byte_image {
  extent size;
  std::vector<std::uint8_t> pixels;  // row-major
};

std::vector<std::byte> encode_png(const rgb_image& image);
std::vector<std::byte> encode_grey_png(const byte_image& image);

/// Frames that share a size and a palette of 1 to 256 colours, shown one after the other for ever.
class animated_png {
 public:
  /// Each frame stays for 1 / frames_per_second seconds.
  animated_png(extent size, const std::vector<rgb>& palette, int frames_per_second);

  /// Compresses and keeps one frame, of the size given and with every pixel in the palette.
  void add(const byte_image& frame);
  int frames() const { return int(frames_); }
  /// The file of all frames added so far, at least one.
  std::vector<std::byte> finish() const;

 private:
  extent size_;
  std::uint16_t frames_per_second_;
  std::uint32_t frames_ = 0, sequence_ = 0;
  std::vector<std::byte> palette_chunk_, frame_chunks_;
};

}  // namespace stretto::wave
