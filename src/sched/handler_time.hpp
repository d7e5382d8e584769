// span.hpp - how long a handler is on workers: the clock's time, less what it is suspended.
//
// Threads     whoever runs what is measured.
// Cost        two readings of the clock, and two for each suspension.
#pragma once

#include <stretto/handler_span.hpp>

#include <algorithm>
#include <utility>

#include "sched/worker.hpp"
#include "trace/clock.hpp"

namespace stretto::sched {

/// `s` lies on the stack of what is measured, until its end.
inline void begin_handler_time(stretto::detail::handler_span& s, const stretto::detail::device_time& on_devices, thread_state& t) noexcept {
  s.suspended = 0;
  s.on_devices = &on_devices;
  s.outer = std::exchange(t.measured, &s);
  s.began = std::max<trace::ticks>(trace::clock::now(), 1);
}
/// In ticks.
inline trace::ticks end_handler_time(stretto::detail::handler_span& s, thread_state& t) noexcept {
  const trace::ticks all = trace::clock::now() - s.began;
  t.measured = s.outer;
  if (s.outer) s.outer->suspended += s.suspended;
  return all > s.suspended ? all - s.suspended : 0;
}
/// Where what runs now has the time counted that devices compute for it; null: nobody measures it.
inline stretto::detail::device_time device_time_of(const thread_state& t) noexcept {
  return t.measured ? *t.measured->on_devices : nullptr;
}

}  // namespace stretto::sched
