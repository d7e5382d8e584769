// balancing_rounds.hpp - a balancing round: collects load reports, calls a balancer and migrates objects.
//
// Threads     Any of the runtime; the steps run as tasks.
// Messages    Those of remote tasks and of migrations.
#pragma once

#include <stretto/balancing.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "mobile/load_report.hpp"
#include "mobile/periodic_balancing.hpp"

namespace stretto::mobiles {

/// `rows` has one report for each node, in order; speed 0: the node did not reply. Ids become relative to `first`.
load_table load_table_of(const std::vector<load_report>& rows, object_id first);

/// Each node with work for less than half of its last two windows asks two others, and takes objects from the more
/// loaded one. A window lasts from one call to the next. The report has no `before` and `after`.
future<balance_report> run_stealing_round(std::uint64_t seed);

/// Begins a round by the policy; calls `on_done` with the load that was found (periodic_balancing.hpp).
void begin_round(policy p, std::uint64_t draw, std::function<void(double)> on_done);

}  // namespace stretto::mobiles
