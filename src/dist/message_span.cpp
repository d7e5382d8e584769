#include "dist/message_span.hpp"

#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace stretto::dist {
namespace {

/// The thread of that context, if it records every span; null also if it belongs to a runtime without a scheduler.
sched::thread_state* recording_thread(base::thread_context& context) noexcept {
  if (!context.runtime || !context.runtime->get<sched::scheduler>(base::floor_slot::sched)) return nullptr;
  auto& t = static_cast<sched::thread_state&>(context);
  return t.every_span && t.ring ? &t : nullptr;
}

}  // namespace

message_span::message_span(base::thread_context& context, std::string_view kind, traced_name& name, std::uint64_t cause,
                           std::uint64_t bytes)
    : by_(recording_thread(context)), cause_(cause), bytes_(bytes) {
  if (!by_) [[likely]]
    return;
  if (name.id == trace::no_name) name.id = by_->owner->recorder->names().intern(kind);
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
