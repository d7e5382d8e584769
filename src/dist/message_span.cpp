#include "dist/message_span.hpp"

#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace stretto::dist {

void message_span::begin(base::thread_context& context, std::string_view kind, traced_name& name) {
  auto& t = static_cast<sched::thread_state&>(context);
  if (!t.ring) return;  // a thread without records
  by_ = &t;
  if (name.id == trace::no_name) name.id = t.owner->recorder->names().intern(kind);
  name_ = name.id;
  start_ = trace::clock::now();
}

void message_span::record() noexcept {
  by_->ring->push({.start = start_,
                   .end = trace::clock::now(),
                   .cause = cause_,
                   .amount = bytes_,
                   .name = name_,
                   .place = by_->as_worker ? by_->as_worker->paths.pop->front() : trace::no_place,
                   .kind = trace::kind::message});
}

}  // namespace stretto::dist
