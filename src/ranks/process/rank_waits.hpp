// rank_waits.hpp - the ranks' part of the wait graph of a hang report: in which call each waits, and for which ranks.
//
// Threads     the monitor.
#pragma once

#include <memory>

#include "base/wait_snapshot.hpp"
#include "ranks/process/call_reading.hpp"

namespace stretto::ranks {

/// Describes the ranks of this process: each becomes a node of the kind `rank`, whether it waits or has ended. Called
/// after the scheduler's add_wait_edges. `reading` has begun before the walk if all threads slept; null if some run:
/// then the arguments of calls are not read. It ends ahead of the search for lines, which may take long.
void add_wait_edges(base::wait_walk& walk, std::unique_ptr<call_reading> reading);

/// After the report of a proven hang: writes what the ranks have printed so far, and ends the process.
[[noreturn]] void end_hanging_job();

}  // namespace stretto::ranks
