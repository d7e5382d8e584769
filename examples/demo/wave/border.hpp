// border.hpp - the absorbing border: damping factors that are 1 inside and fall smoothly to the edges.
//
// Threads     immutable after construction.
// Why         a wave that meets the last cell would come back. In the outer `width` cells it loses amplitude on
//             the way out and on the way back instead. The rate grows with the cube of the depth into the
//             border, so that the wave meets no step to be reflected by.
// Source      see stencil.hpp for the scheme. The rate follows from the wanted reflection as in perfectly
//             matched layers (Collino, Tsogka, Geophysics 66, 2001): for a rate s0 (x / W)^3 in a layer of W,
//             a wave of speed v returns with exp(-2 s0 W / (4 v)).
#pragma once

#include <stretto/fields.hpp>
#include <vector>

#include "demo/wave/stencil.hpp"

namespace stretto::wave {

class border {
 public:
  border() = default;
  /// The border of a grid.
  ///
  ///   size      the grid, with both sides >= 2 * width
  ///   width     cells; 0 for a reflecting edge
  ///   courant   v dt / h of the fastest wave, which stays in the border for the shortest time
  border(extent size, int width, double courant);

  extent size() const { return size_; }
  int width() const { return width_; }
  /// The factors of a tile. The pointers live as long as this border.
  damping part(const rectangle& tile) const;
  /// How far a cell lies in the border: 0 inside, 1 at the edge of the grid.
  double depth_at(int row, int column) const;

  template <class Archive>
  friend void fields(Archive& a, stretto::archived<border, Archive>& b) {
    a(b.size_, b.width_, b.row_, b.column_);
  }

 private:
  extent size_;
  int width_ = 0;
  std::vector<float> row_, column_;
};

/// The width for a grid: an eighth of its shorter side, at most 48 cells (four wavelengths of the shortest wave
/// that the source rule admits), none where fewer than 4 cells would remain.
int border_width(extent size);

}  // namespace stretto::wave
