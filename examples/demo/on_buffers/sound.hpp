// sound.hpp - the wave demonstration's sound in the ground, on buffers that are distributed over all nodes.
//
// Threads     sound_on_nodes is called inside run() of every node.
// Result      that of wave::run_serial on the host. Devices may round otherwise in the last place, and keep numbers
//             below the normal range.
#pragma once

#include "demo/wave/field.hpp"
#include "demo/wave/problem.hpp"

namespace on_buffers {

struct sound {
  stretto::wave::field last, before_last;  // after the last step, and one step earlier
};

/// All steps of it, the same on every node.
sound sound_on_nodes(const stretto::wave::problem& wave);

}  // namespace on_buffers
