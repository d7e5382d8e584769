// misuse.hpp - the messages for events that are ended twice or made to wait for themselves.
//
// Threads     any.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

/// `e`, of this table or the default event, was to be ended at `where` but has another end: E01 or E04.
[[noreturn]] void refuse_second_end(event e, event_cache& cache, const std::source_location& where);
/// `e` was to be triggered after `awaited`, which waits for `e`: E02.
[[noreturn]] void refuse_wait_cycle(event e, event awaited, event_cache& cache, const std::source_location& where);

}  // namespace stretto::detail
