// calling_thread.hpp - the context of the thread that calls an event verb. The thread must have entered events.
//
// Cost        as base::current(): one call that is never inlined; base::require_current only for the error.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

inline base::thread_context& caller(const char* verb) {
  if (auto* context = base::current()) [[likely]]
    return *context;
  return base::require_current(verb);
}

}  // namespace stretto::detail
