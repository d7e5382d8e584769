#include "data/operation_trace.hpp"

#include "sched/task_spans.hpp"

namespace stretto::data {
namespace {

std::uint16_t number_of(const memory_space* m) noexcept {
  return m ? static_cast<std::uint16_t>(m->where().index) : trace::program_memory;
}

trace::record described(const operation_kind& kind, std::span<const detail::instance_handle> used, std::uint64_t bytes,
                        const memory_space* from, const memory_space* to, const std::source_location& where,
                        trace::recorder& recorder) {
  return {.amount = trace::moved(bytes, used.size() > 1 ? number_of(from) : trace::no_place),
          .name = recorder.names().intern(describe(kind, used), where),
          .place = number_of(to),
          .kind = kind.shown};
}

const memory_space* space_of(std::span<const detail::instance_handle> used, std::size_t i) noexcept {
  return i < used.size() ? used[i].record->space : nullptr;
}

}  // namespace

void operation_span::begin(const operation_kind& kind, std::span<const detail::instance_handle> used,
                           std::uint64_t bytes, const std::source_location& where, cause made_ready_by,
                           base::thread_context& context) {
  auto& t = static_cast<sched::thread_state&>(context);
  record_ = described(kind, used, bytes, space_of(used, 1), space_of(used, 0), where, *t.owner->recorder);
  record_.id = sched::new_id(t);
  if (made_ready_by == cause::what_ran) record_.cause = t.current_id;
  outer_id_ = std::exchange(t.current_id, record_.id);
  record_.start = trace::clock::now();
  context_ = &context;
}

void operation_span::end() noexcept {
  auto& t = static_cast<sched::thread_state&>(*context_);
  t.current_id = outer_id_;
  if (!record_.end) record_.end = trace::clock::now();
  t.ring->push(record_);
}

void show_task_as(const operation_request& r, std::uint64_t bytes, const memory_space* from, const memory_space* to,
                  base::thread_context& context) {
  auto& t = static_cast<sched::thread_state&>(context);
  if (!t.span_start || !t.current || t.timed != t.current) return;  // not timed; perhaps nested in a timed one
  t.shown_as = described(*r.kind, {r.used.data(), r.used_count}, bytes, from, to, r.where, *t.owner->recorder);
}

std::uint64_t record_transfer(const operation_request& r, std::uint64_t bytes, const memory_space* from,
                              const memory_space* to, trace::ticks since, base::thread_context& context) {
  auto& t = static_cast<sched::thread_state&>(context);
  if (!t.every_span) return 0;
  trace::record made = described(*r.kind, {r.used.data(), r.used_count}, bytes, from, to, r.where, *t.owner->recorder);
  made.start = since;
  made.end = trace::clock::now();
  made.id = sched::new_id(t);
  t.ring->push(made);
  return made.id;
}

caused_by::caused_by(std::uint64_t id, base::thread_context& context) noexcept
    : context_(context), outer_id_(context.current_id) {
  if (id) context.current_id = id;
}
caused_by::~caused_by() { context_.current_id = outer_id_; }

void show_task_as(const operation_request& r, std::uint64_t bytes, base::thread_context& context) {
  const std::span<const detail::instance_handle> used(r.used.data(), r.used_count);
  show_task_as(r, bytes, space_of(used, 1), space_of(used, 0), context);
}

}  // namespace stretto::data
