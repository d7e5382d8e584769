// rank_waits.hpp - the ranks' part of the wait graph of a hang report: in which call each waits, and for which ranks.
//
// Threads     the monitor.
#pragma once

#include "base/wait_snapshot.hpp"

namespace stretto::ranks {

/// Describes the ranks of this process: each becomes a node of the kind `rank`, whether it waits or has ended. Called
/// after the scheduler's add_wait_edges.
void add_wait_edges(base::wait_walk& walk, base::process_activity now);

/// After the report of a proven hang: writes what the ranks have printed so far, and ends the process.
[[noreturn]] void end_hanging_job();

}  // namespace stretto::ranks
