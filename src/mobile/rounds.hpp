// rounds.hpp - a round of balancing: asks for loads, decides, moves. It decides nothing itself.
//
// Threads     any of the runtime; the steps run as tasks.
// Messages    those of tasks on other nodes and of migrations.
#pragma once

#include <stretto/balancing.hpp>

#include <cstdint>
#include <vector>

#include "mobile/node_row.hpp"

namespace stretto::mobiles {

/// One row for each node, in order; of those that are silent the speed is 0. Ids count from `first`.
load_table table_of(const std::vector<node_row>& rows, std::uint64_t first);

}  // namespace stretto::mobiles
