// weight_exchange.hpp - what nodes have measured, told to one another by tasks like any others, and decided by at the same point of the program.
//
// Threads     whoever submits, not holding the buffers.
// Cost        two tasks for each window that nodes measure. Nothing waits: by when it is used, who submits has waited for a horizon behind it.
#pragma once

#include <source_location>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// To be called after each task of the program, with no other in between on any node.
void balance_node_weights(buffers_state& s, const std::source_location& where);

}  // namespace stretto::buffers
