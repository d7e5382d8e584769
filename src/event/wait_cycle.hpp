// wait_cycle.hpp - finds wait cycles: an event that is made to wait for itself, directly or through merges and deferred
// triggers.
//
// Threads     any, with their own event_cache. Other events may change meanwhile; data of an event that changed while
//             it was read is discarded.
// Cost        visits at most 1,000 events, each once; none unless something already waits for the target.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

/// Whether `from` certainly ends only after `target` has. Searches local events only. It does not search through tasks,
/// which may end and be recycled meanwhile with their preconditions. Nor does it search through queues of reservations,
/// since any thread may still issue a release.
bool leads_to(dependency from, event target, event_cache& cache);

/// Adds the dependencies that the event `e` of this node waits for to `found`, as bits; some may have ended. Leaves
/// `found` empty if `e` changed meanwhile.
void add_awaited(event e, const event_table& table, std::vector<std::uint64_t>& found);

}  // namespace stretto::detail
