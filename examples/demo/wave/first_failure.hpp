// first_failure.hpp - waits that return the failure instead of throwing it.
//
// Threads     any thread of a runtime; a task that calls it suspends.
#pragma once

#include <exception>
#include <stretto/event.hpp>

namespace stretto::wave {

/// Waits for the end of `d`. Returns what went wrong first, be it there or in what it was skipped for; null if nothing.
std::exception_ptr first_failure(const dependency& d);

}  // namespace stretto::wave
