// window_creation.hpp - creates windows: what each rank of a communicator does, given an exchange of small values.
//
// Threads     one thread of each rank of the communicator; all call.
// Cost        two collectives, and one or two more for memory that is shared.
// Errors      call_error: comm for an intercommunicator, no_memory, and rma_shared on all ranks if these are to share
//             memory and are not all of one node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "ranks/communicators/communicator_creation.hpp"
#include "ranks/windows/rank_window.hpp"

namespace stretto::ranks {

/// The arguments of a rank. The memory is its own for window_flavor::create; sizes are those of dynamic windows
/// otherwise 0.
struct window_shape {
  window_flavor flavor = window_flavor::create;
  fixed_memory memory;         // the base is given only for window_flavor::create
  bool is_contiguous = false;  // of shared memory: that of each rank follows that of the rank before
};

struct window_site {
  creation_site ranks;
  const std::function<int(world_rank)>& node_of;  // may be empty: all are on one node
  base::spin_lock& combining;                     // of the rank
  mailbox& messages;                              // of the rank
  const std::function<peer(world_rank)>& reach;   // where messages to a rank go; of other nodes
};

std::unique_ptr<rank_window> create_window(communicator& parent, const window_shape& shape, const window_site& site);

}  // namespace stretto::ranks
