// handler_time.hpp - measures how long a handler runs on workers: elapsed time less the time it is suspended.
//
// Threads     the thread that runs the handler.
// Cost        two clock reads, and two for each suspension.
#pragma once

#include <stretto/detail/handler_span.hpp>

#include <algorithm>
#include <utility>

#include "sched/worker.hpp"
#include "trace/clock.hpp"

namespace stretto::sched {

/// `s` lies on the handler's stack until the handler ends.
inline void begin_handler_time(stretto::detail::handler_span& s, const stretto::detail::device_time& on_devices,
                               thread_state& t) noexcept {
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
/// The counter for device time spent on behalf of the running handler; null: it is not measured.
inline stretto::detail::device_time device_time_of(const thread_state& t) noexcept {
  return t.measured ? *t.measured->on_devices : nullptr;
}

}  // namespace stretto::sched
