#include "sched/recording.hpp"

#include <string>

namespace stretto::sched {

trace::name_id name_in_trace(scheduler& owner, const task_record& task) {
  return owner.recorder->names().intern(task.name ? task.name : "task", task.where);
}

void record_span(worker& w, const task_record& task, trace::ticks end, std::uint64_t cause) {
  w.tasks.record(end - w.span_start);
  w.ring->push({.start = w.span_start,
                .end = end,
                .id = w.current_id,
                .cause = cause,
                .name = name_in_trace(*w.owner, task),
                .place = w.paths.pop->front(),
                .kind = trace::kind::task});
}

void record_suspension(worker& w, const suspension& s, const task_record& task) {
  w.ring->push({.start = s.since,
                .end = trace::clock::now(),
                .id = s.id,
                .cause = s.made_ready_by,
                .amount = s.id,
                .name = name_in_trace(*w.owner, task),
                .place = w.paths.pop->front(),
                .kind = trace::kind::suspended});
}

void record_sleep(worker& w, trace::ticks since) {
  w.ring->push({.start = since, .end = trace::clock::now(), .place = w.paths.pop->front(), .kind = trace::kind::wait});
}

}  // namespace stretto::sched
