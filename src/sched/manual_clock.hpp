// manual_clock.hpp - who is called when a clock has been moved.
//
// Threads     any. A call comes on the thread that moves the clock, after now() tells the new time.
#pragma once

#include <stretto/manual_clock.hpp>
#include <stretto/poller.hpp>

namespace stretto::detail {

struct clock_access {
  /// From add to remove, each move makes the poller due.
  static void add(manual_clock& clock, poller& p);
  static void remove(manual_clock& clock, poller& p) noexcept;
};

}  // namespace stretto::detail
