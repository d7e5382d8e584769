// per_node_values.hpp - what nodes keep of their own (kept_here), as it is now.
//
// Threads     add, forget and keep: any; read_per_node_values: a task of the node.
// Invariants  (1) nothing is read once it has been forgotten, or while it is.
#pragma once

#include <stretto/checkpoint.hpp>

#include <vector>

namespace stretto::checkpoints {

/// Of this node, with objects as handles.
std::vector<kept> read_per_node_values();

}  // namespace stretto::checkpoints
