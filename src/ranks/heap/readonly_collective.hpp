// readonly_collective.hpp - what a rank has declared readonly of its buffers in a broadcast or a scatter.
//
// Threads     those of the calling rank.
#pragma once

#include "ranks/collectives/collective_call.hpp"

namespace stretto::ranks {

/// Puts the declarations of the calling rank into its call; other collectives stay as they are.
void add_readonly(collective_call& call, int rank);

}  // namespace stretto::ranks
