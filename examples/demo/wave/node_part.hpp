// node_part.hpp - the part of a run that one node computes: consecutive tiles, in deferred execution.
//
// Threads     called by a task on each node of the job; it suspends, its worker goes on.
// Order       A step of a tile waits for the tile's step before and for its (at most four) halo copies; a halo copy
//             waits for the step of the tile that it reads, on any node. No other order is needed: the readers of the
//             cells that a step or a copy overwrites precede it already, through a neighbour. There is no barrier, so
//             tiles may be several steps apart.
// Memory      the submitter stays at most `steps_ahead` steps in front of a tile, so that any number of steps takes
//             the same memory.
// Errors      W19 a task failed; D03 the tiles do not fit into memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stretto/barrier.hpp>
#include <vector>

#include "demo/wave/part_exchange.hpp"
#include "demo/wave/problem.hpp"
#include "demo/wave/run_requests.hpp"

namespace stretto::wave {

/// The input of every node.
struct assignment {
  wave_parameters what;
  int across = 1, down = 1;           // tiles
  std::uint32_t nodes = 1, home = 0;  // home has the ground, and gets the results
  std::uint64_t introductions = 0;    // its address at home
  pressure ground;                    // the whole grid's coefficients
  std::array<pressure, 2> last;       // whole grids, for the field after the last step and the one before
  std::vector<int> frame_steps;
  std::array<pressure, 2> frames = {};  // whole grids, taking turns
  barrier framed = {}, painted = {};    // a phase for each frame: it is complete; it has been painted
  barrier ended;                        // no node reads tiles of another one any more
  std::optional<planned_failure> failure;
  template <class Archive>
  friend void fields(Archive& a, archived<assignment, Archive>& x) {
    a(x.what, x.across, x.down, x.nodes, x.home, x.introductions, x.ground, x.last, x.frame_steps, x.frames, x.framed,
      x.painted, x.ended, x.failure);
  }
};

/// How many steps the submitter may be in front of a tile: 2 to 32, fewer the more tiles there are.
int steps_ahead(std::size_t tiles);

struct part_result {
  int steps = 0;  // done
  std::size_t step_tasks = 0, halo_copies = 0;
  double seconds = 0;
};

/// The additional state of node `home`.
struct home_side {
  const run_requests& asked;
  std::array<field_view<const float>, 2> frames;  // the memory of assignment::frames
};

/// Runs the part of the calling node; `home` is null elsewhere. Throws what failed first.
part_result run_part(const assignment& all, const home_side* home);

}  // namespace stretto::wave
