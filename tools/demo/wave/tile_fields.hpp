// tile_fields.hpp - the memory of every tile: two instances of pressure, with room for its neighbours' cells, and one
// of the ground's coefficients.
//
// Threads     made and destroyed by one task; step() of different tiles may run at the same time.
// Invariants  after n steps the pressure is in `at(tile, n)`, the one of a step before in `at(tile, n + 1)`:
//             the two take turns, and a step overwrites the older one.
#pragma once

#include <array>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>
#include <string>
#include <vector>

#include "demo/wave/problem.hpp"
#include "demo/wave/tiling.hpp"

namespace stretto::wave {

class tile_fields {
 public:
  using pressure = instance<float, 2>;

  /// Makes all instances, at rest, each in the host memory nearest to one worker, equally many tiles for each; waits
  /// until they exist. Throws D03 where a memory has no room. `wave` and `tiles` must outlive this.
  tile_fields(const problem& wave, const tiling& tiles, const platform& machine);
  tile_fields(const tile_fields&) = delete;
  /// Nothing may still be using them.
  ~tile_fields();

  std::size_t count() const { return tiles_.size(); }
  /// "tile 3,5": fourth of its row of tiles, in the sixth row.
  const std::string& name(std::size_t tile) const { return tiles_[tile].name; }
  const pressure& at(std::size_t tile, int steps) const { return tiles_[tile].u[std::size_t(steps & 1)]; }

  /// Computes the pressure after step n + 1 from that after n and n - 1, sources included.
  void step(std::size_t tile, int n) const;

  /// Cells of the grid as a box of the instances' coordinates.
  static box box_of(const rectangle& cells) {
    return box({cells.row, cells.column}, {cells.row_end, cells.column_end});
  }

 private:
  struct state {
    std::string name;
    rectangle cells;
    damping border;
    std::array<pressure, 2> u;
    instance<float, 2> ground;
    std::array<field_view<float>, 2> view;  // of u, without the neighbours' cells
    field_view<const float> coefficient;    // of ground
  };
  void release() noexcept;

  const problem& wave_;
  std::vector<state> tiles_;
};

}  // namespace stretto::wave
