// span.hpp - how long something is on workers: the clock's time, less what it is suspended.
//
// Threads     whoever runs what is measured.
// Cost        two readings of the clock, and two for each suspension.
#pragma once

#include <algorithm>
#include <utility>

#include "sched/worker.hpp"
#include "trace/clock.hpp"

namespace stretto::sched {

/// `began`, `suspended` and `outer` are those of a span that lies on the stack of what is measured, until its end.
template <class Span>
void begin_span(Span& s, thread_state& t) noexcept {
  s.suspended = 0;
  s.outer = std::exchange(t.off_workers, &s.suspended);
  s.began = std::max<trace::ticks>(trace::clock::now(), 1);
}
/// In ticks.
template <class Span>
trace::ticks end_span(Span& s, thread_state& t) noexcept {
  const trace::ticks all = trace::clock::now() - s.began;
  t.off_workers = s.outer;
  if (s.outer) *s.outer += s.suspended;
  return all > s.suspended ? all - s.suspended : 0;
}

}  // namespace stretto::sched
