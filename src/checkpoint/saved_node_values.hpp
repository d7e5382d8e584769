// saved_node_values.hpp - reads the values that this node saves for itself (per_node_values).
//
// Threads     add, forget and keep: any; read_per_node_values: a task of the node.
// Invariants  (1) a value is not read during or after its removal.
#pragma once

#include <stretto/checkpoint.hpp>

#include <vector>

namespace stretto::checkpoints {

/// The current values of this node; objects as handles.
std::vector<saved_value> read_per_node_values();

}  // namespace stretto::checkpoints
