// tile_fields.hpp - the memory of a node's tiles: two instances of pressure, with room for its neighbours' cells, and
// one of the ground's coefficients.
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

#include "demo/wave/part_exchange.hpp"
#include "demo/wave/problem.hpp"
#include "demo/wave/tiling.hpp"

namespace stretto::wave {

class tile_fields {
 public:
  /// Makes the instances of `own`, at rest, each in the host memory nearest to one worker, equally many tiles for each;
  /// waits until they exist. Throws D03 where a memory has no room. `wave` and `tiles` must outlive this.
  ///
  ///   ground   the coefficients of the whole grid, maybe on another node
  tile_fields(const wave_parameters& wave, const tiling& tiles, tile_range own, const pressure& ground,
              const platform& machine);
  tile_fields(const tile_fields&) = delete;
  /// Nothing may still be using them.
  ~tile_fields();

  /// "tile 3,5": fourth of its row of tiles, in the sixth row. One of `own`.
  const std::string& name(std::size_t tile) const { return of(tile).name; }
  const pressure& at(std::size_t tile, int steps) const { return all_[tile][std::size_t(steps & 1)]; }

  /// Of `own`, for others; and theirs.
  std::vector<std::array<pressure, 2>> handles() const;
  void learn(tile_range which, const std::vector<std::array<pressure, 2>>& handles);

  /// Computes the pressure after step n + 1 from that after n and n - 1, sources included. One of `own`.
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
    pressure ground;
    std::array<field_view<float>, 2> view;  // of u, without the neighbours' cells
    field_view<const float> coefficient;    // of ground
  };
  const state& of(std::size_t tile) const { return tiles_[tile - own_.first]; }
  void release() noexcept;

  const wave_parameters& wave_;
  const tile_range own_;
  std::vector<state> tiles_;                  // own
  std::vector<std::array<pressure, 2>> all_;  // of every tile
};

}  // namespace stretto::wave
