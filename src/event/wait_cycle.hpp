// self_wait.hpp - finds an event that is made to wait for itself, directly or through merges and deferred triggers.
//
// Threads     any, with their own event_cache. What it reads of other events may change meanwhile; an answer is given
//             only from states that held together.
// Cost        at most 1,000 events looked at, each once; none unless something already waits for the target.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

/// Whether `from` certainly ends only after `target` has. Looks at local events; not through tasks, which may end and
/// be recycled, preconditions and all, while they are looked at, nor through the queues of reservations, where nothing
/// is certain: a release may yet be issued by anyone.
bool leads_to(dependency from, event target, event_cache& cache);

/// Adds what the event `e` of this node waits for to `found`, as bits of dependencies, of which some may have ended;
/// nothing if `e` has ended or changed while it was looked at.
void add_awaited(event e, const event_table& table, std::vector<std::uint64_t>& found);

}  // namespace stretto::detail
