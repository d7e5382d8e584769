// Handlers begin and end, and objects with them. What no handler ends is settled.
#include <stretto/error.hpp>

#include <mutex>
#include <utility>

#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/counted_task.hpp"
#include "sched/ready_queues.hpp"
#include "sched/task_execution.hpp"
#include "sched/handler_time.hpp"

namespace stretto::mobiles {

using sched::finish_scope;
using sched::task_record;
using sched::thread_state;

namespace {

std::string who_of(const far_letter& l) {
  const std::string what = l.what() == letter_kind::make ? "make_mobile" : "message";
  return l.name.empty() ? what + " at " + short_location(l.where) : what + " \"" + l.name + '"';
}

/// What the tasks that a handler left behind have failed with; null: nothing, or somebody has looked at it.
failure_ref failures_in(finish_scope& scope, const std::string& who, const std::source_location& where) {
  const sched::failure_list::content all = scope.failures.take();
  if (all.empty()) return {};
  const failure_ref first = all.kept.empty() ? failure_ref() : all.kept.front();
  if (all.size() == 1 && first) return first;
  error e("S06", std::to_string(all.size()) + " tasks failed that " + who + " had spawned");
  if (first) e.fact("first", first->who()).because(exception_text(first->as_exception())).caused_by(first->as_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(e)), who, where);
}

}  // namespace

void mobile_objects::begin(letter& l, thread_state& t) {
  if (!l.is_far) {
    task_record& r = record_of(l);
    r.made_ready_by(t.current_id);
    return sched::make_ready(t, r);
  }
  const sched::outside_of_finishes outside(t);
  begin_far(static_cast<far_letter&>(l), t);
}

void mobile_objects::begin_far(far_letter& far, thread_state& t) {
  handling_.fetch_add(1, std::memory_order_relaxed);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = far.where, .priority = far.priority, .name = far.name}, far_body{this, &far});
}

void mobile_objects::handle(std::unique_ptr<far_letter> l) {
  struct handled {
    std::atomic<std::uint64_t>& count;
    ~handled() { --count; }
  } const then{handling_};
  l->memory.end();
  resident& o = *static_cast<resident*>(l->at);
  if (l->what() == letter_kind::destroy) {
    end(o, sender::another);
    return answer(*l, outcome::value_and_end, {});
  }
  finish_scope* scope;
  {
    thread_state& t = here();
    scope = sched::open_scope(t, l->where);
    sched::enter_scope(t, scope);
  }
  detail::parcel value;
  failure_ref cause = l->refused;
  detail::handler_span span;
  if (o.is_measured.load(std::memory_order_acquire) && l->what() == letter_kind::handle) detail::begin_span(span, o);
  if (!cause) try {
    if (!l->type)
      throw error("N13", "node " + (job_ ? job_->name_of(self_) : std::string("N0")) + " does not know a handler that it is to run")
          .fact("called", l->where)
          .because("the library that holds the handler is not loaded there, or is another one")
          .remedy("load the same libraries on every node before handlers of theirs are sent");
    field_reader in(l->bytes());
    field_writer out(value);
    l->type->run(o.object, in, out);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), who_of(*l), l->where);
    value = {};
  }
  thread_state& t = here();
  sched::enter_scope(t, scope->outer);
  const bool is_over = scope->is_quiet(t.owner->shard_count()) && scope->failures.is_empty();
  note_load(o, span);
  // Before the object may leave: an answer that is not on its way yet would be this node's to lose.
  const bool is_short = is_over && !cause && !l->together && value.bytes.empty() && value.along.empty();
  if (is_short) answer_shortly(*l);
  else answer(*l, is_over ? outcome::value_and_end : outcome::value, cause, std::move(value));
  if (l->what() == letter_kind::make && cause) stillborn(o, cause);
  else leave(o, reads(*l), span, sender::another);
  // What waits until others have been handled goes now if there are none.
  if (short_answers_ && handling_ == 1) send_short_answers();
  if (is_over) return sched::close_scope(here(), scope);
  struct owed {
    mobile_objects* all;
    std::unique_ptr<far_letter> of;
  };
  thread_state& now = here();
  sched::count_spawned(now);  // in the scope of the whole runtime, where the letter's task is counted
  sched::when_quiet(now, *scope, [](finish_scope& quiet, thread_state& on) noexcept {
    const std::unique_ptr<owed> o(static_cast<owed*>(quiet.about));
    const failure_ref why = failures_in(quiet, who_of(*o->of), o->of->where);
    sched::close_scope(on, &quiet);
    o->all->answer(o->of->from, outcome::end, o->of->request, why);
    sched::count_ended(on, on.owner->root);
  }, new owed{this, std::move(l)});
}

void mobile_objects::leave(resident& o, bool has_read, detail::handler_span& span, sender of) noexcept {
  const std::uint64_t ticks = span.began ? sched::end_handler_time(span, here()) : 0;
  const bool tells = !has_read && o.type && o.type->hint;
  const double hint = tells ? o.type->hint(o.object) : 1;
  errands out;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (of == sender::this_node) ++s.ended;
    if (ticks) o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
    if (tells) o.load.hint = hint;
    o.left(has_read);
    if (settings_.wander && !has_read) wander(o);
    advance(o, out);
  }
  run(out);
  quiet_.look_if_alone();
}

void mobile_objects::note_load(resident& o, detail::handler_span& span) noexcept {
  if (!span.began) return;
  const std::uint64_t ticks = sched::end_handler_time(span, here());
  span.began = 0;
  const std::scoped_lock lock(shard_of(o.id).lock);
  o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
}

void mobile_objects::end(resident& gone, sender of) noexcept {
  if (gone.object) gone.type->destroy(gone.object);
  errands out;
  const object_id id = gone.id;
  std::unique_ptr<resident> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    if (of == sender::this_node) ++s.ended;
    o = std::move(e.here);
    --s.counted.objects;
    empty(*o, e, destroyed(id, o->name), out);
    out.drop.push_back(std::move(e.sent_away));
    tell_visited(id, e, out);
    s.all.erase(id);
  }
  for (const auto& [sender, c] : o->others())
    if (sender != home_of(id)) out.tell.push_back({sender, say::dead, dist::writer(id)});
  if (home_of(id) != self_) out.tell.push_back({home_of(id), say::dead, dist::writer(id)});
  run(out);
  quiet_.look_if_alone();
}

void mobile_objects::stillborn(resident& gone, const failure_ref& cause) {
  errands out;
  const object_id id = gone.id;
  std::unique_ptr<resident> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    o = std::move(e.here);
    --s.counted.objects;
    e.lost = lost_by(id, o->name, *cause.get());
    empty(*o, e, e.lost, out);
  }
  if (home_of(id) != self_) {
    dist::writer w(id);
    causes_->write(w, *cause.get());
    out.tell.push_back({home_of(id), say::gone, std::move(w)});
  }
  run(out);
}

void mobile_objects::empty(resident& o, entry& e, const failure_ref& cause, errands& out) {
  while (letter* const l = o.waiting().pop()) out.settle.push_back({l, cause});
  for (letter* l : o.moves()) out.settle.push_back({l, cause});
  o.moves().clear();
  const auto let_go = [&](correspondent& c) {
    for (const auto& [number, l] : c.held)
      if (l) out.settle.push_back({l, cause});
    c.held.clear();
  };
  let_go(o.own());
  for (auto& [sender, c] : o.others()) let_go(c);
  for (auto& l : e.parked) out.settle.push_back({l.release(), cause});
  e.parked.clear();
}

void mobile_objects::settle(letter& l, failure_ref cause, bool is_for_good) {
  if (l.is_far) {
    const std::unique_ptr<far_letter> far(&static_cast<far_letter&>(l));
    if (cause) cause = failure_ref::adopt(new failure(*cause.get(), far->name.empty() ? "message" : "message \"" + far->name + '"', far->where));
    return answer(*far, outcome::value_and_end, cause, {}, is_for_good && cause);
  }
  count_ended();
  thread_state& t = here();
  task_record& r = record_of(l);
  if (cause) return sched::skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
  sched::finish_scope* const scope = r.scope;
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  r.complete(t);
  sched::count_ended(t, scope);
}

}  // namespace stretto::mobiles
