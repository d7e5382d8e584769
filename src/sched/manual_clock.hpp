// manual_clock.hpp - the pollers that a manual clock makes due when the program moves it.
//
// Threads     any. poll_now() runs on the thread that moves the clock, after now() returns the new time.
#pragma once

#include <stretto/manual_clock.hpp>
#include <stretto/poller.hpp>

namespace stretto::detail {

struct clock_access {
  /// From add to remove, each move of the clock makes the poller due.
  static void add(manual_clock& clock, poller& p);
  static void remove(manual_clock& clock, poller& p) noexcept;
};

}  // namespace stretto::detail
