// saved_node_values.hpp - reads the values that this node saves for itself (per_node_values).
//
// Threads     a task of the node. The lock of node_values excludes threads that add or remove values.
// Invariants  a value is not read during or after its removal.
#pragma once

#include <stretto/checkpoint.hpp>

#include <vector>

namespace stretto::checkpoints {

/// The current values of this node; an object as its handle, without its data.
std::vector<saved_value> read_per_node_values();

}  // namespace stretto::checkpoints
