// rank_wait_kinds.hpp - for whom the ranks of an MPI program wait: for a message, for its receive, or in a collective.
//
// Threads     pure.
// Cost        O(records + deliveries).
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

/// Gives the waits of ranks, which are recorded as waits of any kind, the kind that their call and their cause say.
/// Waits that these do not show, such as those for locks of windows, stay waits.
void classify_rank_waits(run& r);

}  // namespace stretto::report
