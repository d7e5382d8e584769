// weight_exchange.hpp - exchanges the measurements of nodes by ordinary tasks, and applies new node weights at the same
// point of the program on all nodes.
//
// Threads     the submitting call, not holding the buffers.
// Cost        two tasks for each window that nodes measure. It does not block: due to back pressure the tasks have
//             ended before their results are used.
#pragma once

#include <source_location>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// To be called after each task of the program; no node may submit another task in between.
void balance_node_weights(buffers_state& s, const std::source_location& where);

}  // namespace stretto::buffers
