#include "sched/task_spans.hpp"

#include <string>
#include <utility>

namespace stretto::sched {

namespace {

constexpr const char* task_name = "task";
constexpr const char* body_name = "body of run";

trace::name_id name_in_trace(worker& w, const task_record& task) {
  return w.names.intern(w.owner->recorder->names(), task.name, task.where, task_name);
}

/// Records the task as what it does for a higher floor (thread_state::shown_as).
[[gnu::noinline]] void record_shown(worker& w, trace::ticks end, std::uint64_t cause) {
  trace::record r = std::exchange(w.shown_as, trace::record());
  r.start = w.span_start;
  r.end = end;
  r.id = w.current_id;
  r.cause = cause;
  w.ring->push(r);
}

}  // namespace

void record_span(worker& w, const task_record& task, trace::ticks end, std::uint64_t cause) {
  w.tasks.record(end - w.span_start);
  if (w.shown_as.kind != trace::kind::task) [[unlikely]]
    return record_shown(w, end, cause);
  w.ring->push({.start = w.span_start,
                .end = end,
                .id = w.current_id,
                .cause = cause,
                .name = name_in_trace(w, task),
                .place = w.paths.pop->front(),
                .kind = trace::kind::task});
}

namespace {

void record_body(worker& w, trace::ticks end) {
  w.ring->push({.start = w.span_start,
                .end = end,
                .id = w.current_id,
                .name = w.names.intern(w.owner->recorder->names(), body_name, w.body, task_name),
                .place = w.paths.pop->front(),
                .kind = trace::kind::task});
}

}  // namespace

void begin_body(worker& w, const std::source_location& where) noexcept {
  w.body = where;
  if (!w.every_span) return;
  w.current_id = new_id(w);
  w.span_start = trace::clock::now();
}

void end_body(worker& w) {
  if (w.every_span && w.span_start) record_body(w, trace::clock::now());
  w.span_start = 0;
  w.current_id = 0;
}

void record_before_suspension(worker& w, trace::ticks end) {
  if (w.current) record_span(w, *w.current, end, 0);
  else record_body(w, end);
}

// The span has the name of the waiting task and the line of its wait.
void record_suspension(worker& w, const suspension& s) {
  const char* const name = !s.current ? body_name : s.current->name;
  const std::source_location& where = s.where ? *s.where : s.current ? s.current->where : w.body;
  w.ring->push({.start = s.since,
                .end = trace::clock::now(),
                .id = s.id,
                .cause = s.made_ready_by,
                .amount = s.id,
                .name = w.names.intern(w.owner->recorder->names(), name, where, task_name),
                .place = w.paths.pop->front(),
                .kind = trace::kind::suspended});
}

void record_sleep(worker& w, trace::ticks since) {
  w.ring->push({.start = since, .end = trace::clock::now(), .place = w.paths.pop->front(), .kind = trace::kind::wait});
}

}  // namespace stretto::sched
