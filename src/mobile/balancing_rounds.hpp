// balancing_rounds.hpp - a round of balancing: asks for loads, decides, moves. It decides nothing itself.
//
// Threads     any of the runtime; the steps run as tasks.
// Messages    those of tasks on other nodes and of migrations.
#pragma once

#include <stretto/balancing.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "mobile/load_report.hpp"
#include "mobile/periodic_balancing.hpp"

namespace stretto::mobiles {

/// One row for each node, in order; of those that are silent the speed is 0. Ids count from `first`.
load_table load_table_of(const std::vector<load_report>& rows, std::uint64_t first);

/// Each node that had work for less than half of its last two windows asks two others, and takes from the one whose objects cost more. A
/// window lasts from one call to the next. Of the report all is said but `before` and `after`.
future<balance_report> run_stealing_round(std::uint64_t seed);

/// By the policy; tells how much load there was (self_balancing.hpp).
void begin_round(policy p, std::uint64_t draw, std::function<void(double)> on_done);

}  // namespace stretto::mobiles
