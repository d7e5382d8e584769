#include "sched/recording.hpp"

#include <string>
#include <utility>

namespace stretto::sched {

trace::name_id name_in_trace(worker& w, const task_record& task) {
  return w.names.intern(w.owner->recorder->names(), task.name ? task.name : "task", task.where);
}

void record_span(worker& w, const task_record& task, trace::ticks end, std::uint64_t cause) {
  w.tasks.record(end - w.span_start);
  trace::record r = std::exchange(w.shown_as, trace::record());
  if (r.kind == trace::kind::task) {
    r.name = name_in_trace(w, task);
    r.place = w.paths.pop->front();
  }
  r.start = w.span_start;
  r.end = end;
  r.id = w.current_id;
  r.cause = cause;
  w.ring->push(r);
}

void record_suspension(worker& w, const suspension& s, const task_record& task) {
  w.ring->push({.start = s.since,
                .end = trace::clock::now(),
                .id = s.id,
                .cause = s.made_ready_by,
                .amount = s.id,
                .name = name_in_trace(w, task),
                .place = w.paths.pop->front(),
                .kind = trace::kind::suspended});
}

void record_sleep(worker& w, trace::ticks since) {
  w.ring->push({.start = since, .end = trace::clock::now(), .place = w.paths.pop->front(), .kind = trace::kind::wait});
}

}  // namespace stretto::sched
