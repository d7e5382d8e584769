// painter.hpp - pictures of a wave field over its medium, with the sources marked.
//
// Threads     immutable after construction.
// Cost        linear in the cells; a picture's longer side is at most `longest_side` pixels, each the mean of
//             the same whole number of cells in both directions.
#pragma once

#include <vector>

#include "demo/wave/border.hpp"
#include "demo/wave/medium.hpp"
#include "demo/wave/png_writer.hpp"
#include "demo/wave/source.hpp"

namespace stretto::wave {

/// Longest sides, in pixels, that suit a picture to look at closely and one that moves.
inline constexpr int still_side = 1600, frame_side = 800;

class painter {
 public:
  painter(const medium& ground, const border& edge, const std::vector<position>& sources, int longest_side);

  extent size() const { return size_; }

  /// In full colour, dimmed towards the edges where the border absorbs. The amplitude shown as full is the 99th
  /// percentile of what moves, so a picture is legible whenever it is taken.
  rgb_image still(field_view<const float> u) const;

  /// The same in at most 256 colours, for animations: 8 greys of the medium by 31 amplitudes, and the marks.
  byte_image frame(field_view<const float> u) const;
  static std::vector<rgb> palette();

 private:
  struct mark {
    float cover = 0;   // how much of the pixel a source's mark hides, 0 to 1
    bool rim = false;  // the dark rim of the mark, else its light core
  };
  std::vector<float> amplitudes(field_view<const float> u) const;

  int cells_per_pixel_;
  extent size_;
  std::vector<float> ground_;  // per pixel: 0 slowest to 1 fastest
  std::vector<float> depth_;   // per pixel: 0 inside to 1 at the end of the border
  std::vector<mark> marks_;    // per pixel
};

}  // namespace stretto::wave
