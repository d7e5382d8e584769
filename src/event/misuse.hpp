// misuse.hpp - the errors for events that are ended twice or made to wait for themselves.
//
// Threads     any.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

/// Throws E01 or E04: the line `where` ends `e`, an event of this table or the default event. But `e` has ended before,
/// or a deferred trigger will end it.
[[noreturn]] void refuse_second_end(event e, event_cache& cache, const std::source_location& where);
/// Throws E02: `e` would be triggered after `awaited`, which waits for `e`.
[[noreturn]] void refuse_wait_cycle(event e, event awaited, event_cache& cache, const std::source_location& where);

}  // namespace stretto::detail
