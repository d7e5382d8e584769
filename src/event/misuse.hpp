// misuse.hpp - the errors for events that are ended twice or made to wait for themselves.
//
// Threads     any.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

/// Throws E01 or E04: `where` ends `e`, an event of this table or the default event, which has or will have another
/// end.
[[noreturn]] void refuse_second_end(event e, event_cache& cache, const std::source_location& where);
/// Throws E02: `e` would be triggered after `awaited`, which waits for `e`.
[[noreturn]] void refuse_wait_cycle(event e, event awaited, event_cache& cache, const std::source_location& where);

}  // namespace stretto::detail
