// run_tasks.hpp - the simulation in deferred execution: a task per tile and step, a copy per halo, ordered by events.
//
// Threads     called by a task of a runtime; it suspends, its worker goes on.
// Order       A step of a tile waits for the tile's step before and for its (at most four) halo copies; a halo copy
//             waits for the step of the tile it reads. Nothing else is needed: whoever still reads what a step or a
//             copy overwrites comes before it already, by way of a neighbour. There is no barrier, so tiles may be
//             several steps apart.
// Memory      the submitter stays at most `steps_ahead` steps in front of a tile, so that any number of steps takes
//             the same memory.
// Errors      W19 a task failed; D03 the tiles do not fit into memory.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stretto/platform.hpp>
#include <vector>

#include "demo/wave/problem.hpp"
#include "demo/wave/tiling.hpp"

namespace stretto::wave {

/// Where a test wants a task to throw.
struct planned_failure {
  std::size_t tile = 0;
  int step = 0;
};

/// What is asked of a run beside the result.
struct run_requests {
  std::vector<int> frame_steps = {};                                // rising numbers of steps
  std::function<void(field_view<const float>)> paint = nullptr;     // called with each of those fields, in order
  std::function<void(int steps)> on_progress = nullptr;             // now and then, with the steps that are done
  const std::atomic<bool>* stop = nullptr;                          // once true, no further step is submitted
  std::optional<planned_failure> failure = std::nullopt;
};

struct tasks_result {
  field last, before_last;  // u after the last step done, and one step earlier
  int steps = 0;            // done: fewer than asked if it was stopped
  std::size_t step_tasks = 0, halo_copies = 0;
  double seconds = 0;       // from the first submission to the end of the last step
  double cells_per_second = 0;
};

/// Runs all steps, or until it is told to stop; then what was submitted is finished.
tasks_result run_tasks(const problem& wave, const tiling& tiles, const platform& machine,
                       const run_requests& requests = {});

/// How many steps the submitter may be in front of a tile: 2 to 32, fewer the more tiles there are.
int steps_ahead(std::size_t tiles);

}  // namespace stretto::wave
