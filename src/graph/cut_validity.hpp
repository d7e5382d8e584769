// cut_validity.hpp - checks of a task that hold however its range is cut. They need neither weights nor memories.
//
// Threads     any.
// Cost        O(accesses squared); no chunk is computed.
#pragma once

#include "graph/task.hpp"

namespace stretto::graph {

/// True if no cut of the task over `nodes` nodes, their devices and pieces can fail with B04, B05 or B06. False proves
/// nothing: the actual cut may be valid.
bool is_valid_for_any_cut(const task& t, node_number nodes);

}  // namespace stretto::graph
