// task_spans.hpp - the spans that the scheduler writes into the trace: tasks, suspensions, sleep.
//
// Threads     the worker whose trace it is.
// Cost        by default a counter and, once in about a thousand short tasks, two clock reads. In full detail two
//             clock reads, a name look-up and a record per task.
#pragma once

#include "sched/scheduler.hpp"
#include "trace/recorder.hpp"

namespace stretto::sched {

/// A trace id for an operation that the worker begins.
inline std::uint64_t new_id(thread_state& t) noexcept { return t.first_id | ++t.next_id; }

/// The span of the task that is interrupted when another task runs on top of it.
struct outer_span {
  trace::ticks start;
  std::uint64_t id;
  const task_record* timed;
};

void record_span(worker& w, const task_record& task, trace::ticks end, std::uint64_t cause);
/// Records the running task, or the body of run, up to the moment when it leaves its stack.
void record_before_suspension(worker& w, trace::ticks end);
void record_suspension(worker& w, const suspension& s);
void record_sleep(worker& w, trace::ticks since);

/// In full detail the body of run is an operation too, and the tasks that it spawns name it as their cause. Called by
/// worker 0, on its own stack.
void begin_body(worker& w, const std::source_location& where) noexcept;
void end_body(worker& w);

/// Begins the span of a task that the sampler has chosen.
inline outer_span begin_span(worker& w, const task_record& task) noexcept {
  const outer_span outer{w.span_start, w.current_id, w.timed};
  w.timed = &task;
  if (w.every_span) w.current_id = new_id(w);
  w.span_start = trace::clock::now();
  return outer;
}

/// Ends the span, on any worker; `cause` is the value that the task held when it began. A sampled task that has
/// suspended is not recorded.
inline void end_span(worker& w, const task_record& task, std::uint64_t cause) {
  if (w.span_start) record_span(w, task, trace::clock::now(), cause);
  else w.tasks.pass();
}

/// Continues the span of the task underneath.
inline void continue_span(worker& w, const outer_span& outer) noexcept {
  w.span_start = outer.start;
  w.current_id = outer.id;
  w.timed = outer.timed;
}

}  // namespace stretto::sched
