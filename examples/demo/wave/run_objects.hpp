// run_objects.hpp - the simulation on the host and devices together: a launch per tile and step, on objects.
//
// Threads     called by a task of a runtime; it suspends, its worker goes on.
// Order       found from what the launches read and write: a tile's step reads a tile with its halo of one field and
//             changes the tile in another. The runtime chooses the processor that computes a tile, and copies the
//             elements that the step needs to it.
// Memory      the three fields, wherever they are; the submitter stays a few steps in front.
// Result      that of run_tasks() on the host. Devices may round otherwise in the last place, and keep numbers below
//             the normal range.
// Errors      W19 a step failed; A04 a tile does not fit into the memory of any device.
#pragma once

#include "demo/wave/run_tasks.hpp"

namespace stretto::wave {

/// Runs all steps, or until a stop is requested; then waits for the submitted ones. Planned failures are not supported.
tasks_result run_objects(const problem& wave, const tiling& tiles, const run_requests& requests = {});

/// Tiles for kernels on devices: a dozen, in whole rows, which copies like.
tiling choose_device_tiling(extent grid);

}  // namespace stretto::wave
