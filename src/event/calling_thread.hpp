// calling.hpp - whose thread calls an event verb. Requires that the thread has entered events.
//
// Cost        as base::current(): one call that is never inlined; base::require_current only to refuse.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

inline base::thread_context& caller(const char* verb) {
  if (auto* context = base::current()) [[likely]]
    return *context;
  return base::require_current(verb);
}

}  // namespace stretto::detail
