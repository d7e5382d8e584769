// per_node_values.hpp - what nodes keep of their own (kept_here), as it is now.
//
// Threads     add, forget and keep: any; own_things_here: a task of the node.
// Invariants  (1) nothing is read once it has been forgotten, or while it is.
#pragma once

#include <stretto/checkpoint.hpp>

#include <vector>

namespace stretto::checkpoints {

/// Of this node, with objects as handles.
std::vector<kept> own_things_here();

}  // namespace stretto::checkpoints
