// run_tasks.hpp - the simulation in deferred execution: a task per tile and step, a copy per halo, ordered by events.
//
// Threads     called by a task of a runtime, on one node of its job; it suspends, its worker goes on.
// Nodes       all nodes of the job take part: this one sends the others their input (node_part.hpp) and the ground, and
//             gets the result.
// Errors      W19 a task failed; D03 the tiles do not fit into memory.
#pragma once

#include <cstddef>

#include "demo/wave/problem.hpp"
#include "demo/wave/run_requests.hpp"
#include "demo/wave/tiling.hpp"

namespace stretto::wave {

struct tasks_result {
  field last, before_last;  // u after the last step done, and one step earlier
  int steps = 0;            // done: fewer than asked if it was stopped
  std::size_t step_tasks = 0, halo_copies = 0;
  double seconds = 0;  // from the first submission to the end of the last step
  double cells_per_second = 0;
};

/// Runs all steps, or until a stop is requested; then waits for the submitted ones.
tasks_result run_tasks(const problem& wave, const tiling& tiles, const run_requests& requests = {});

}  // namespace stretto::wave
