#include "mobile/handler_execution.hpp"

#include <stretto/error.hpp>

#include <mutex>
#include <utility>

#include "base/snapshot_read.hpp"
#include "event/event_floor.hpp"
#include "sched/counted_task.hpp"
#include "sched/ready_queues.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::finish_scope;
using sched::task_record;
using sched::thread_state;

namespace {

std::string label_of(const remote_message& msg) {
  const std::string what = msg.action_taken() == message_action::make ? "make_mobile" : "message";
  return msg.name.empty() ? what + " at " + short_location(msg.where) : what + " \"" + msg.name + '"';
}

/// The failures of the tasks that a handler left behind; null: none, or all have been observed.
failure_ref failures_in(finish_scope& scope, const std::string& who, const std::source_location& where) {
  const sched::failure_list::content all = scope.failures.take();
  if (all.empty()) return {};
  const failure_ref first = all.kept.empty() ? failure_ref() : all.kept.front();
  if (all.size() == 1 && first) return first;
  error e("S06", std::to_string(all.size()) + " tasks failed that " + who + " had spawned");
  if (first)
    e.fact("first", first->who()).because(exception_text(first->as_exception())).caused_by(first->as_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(e)), who, where);
}

}  // namespace

void handler_execution::begin(message& msg, thread_state& t) {
  if (!msg.is_remote) {
    task_record& r = record_of(msg);
    r.made_ready_by(t.current_id);
    return sched::make_ready(t, r);
  }
  const sched::outside_of_finishes outside(t);
  begin_remote(static_cast<remote_message&>(msg), t);
}

void handler_execution::begin_remote(remote_message& remote, thread_state& t) {
  counters_.remote_handler_begun();
  sched::count_spawned(t);
  sched::spawn_counted(
      t, {.scope = t.owner->root, .where = remote.where, .priority = remote.priority, .name = remote.name},
      remote_body{this, &remote});
}

struct handler_execution::owed_end {
  handler_execution* all;
  std::unique_ptr<remote_message> of;
};

void handler_execution::run(std::unique_ptr<remote_message> msg) {
  struct handled {
    message_counters& all;
    ~handled() { all.remote_handler_ended(); }
  } const then{counters_};
  msg->memory.end();
  local_object& o = *static_cast<local_object*>(msg->handled_object);
  if (msg->action_taken() == message_action::destroy) {
    removal_.destroy(o, message_origin::other_node);
    return replies_.send(*msg, reply_stage::value_and_end, {});
  }
  finish_scope* scope;
  {
    thread_state& t = current_thread();
    scope = sched::open_scope(t, msg->where);
    sched::enter_scope(t, scope);
  }
  failure_ref cause = msg->refused;
  detail::handler_span span;
  if (o.is_measured.load(std::memory_order_acquire) && msg->action_taken() == message_action::handle)
    detail::begin_span(span, o);
  detail::parcel value;
  if (!cause) value = call(*msg, o, cause);
  thread_state& t = current_thread();
  sched::enter_scope(t, scope->outer);
  const bool is_over = scope->is_quiet(t.owner->shard_count()) && scope->failures.is_empty();
  record_load(o, span);
  // Reply before the object may leave: a reply that waits here is lost if this node fails.
  reply(*msg, is_over, cause, std::move(value));
  if (msg->action_taken() == message_action::make && cause) removal_.construction_failed(o, cause);
  else finish(o, reads(*msg), span, message_origin::other_node);
  // A batch of replies does not wait for other handlers if none runs.
  if (counters_.remote_handlers() == 1) replies_.flush();
  if (is_over) return sched::close_scope(current_thread(), scope);
  report_end(*scope, std::move(msg));
}

detail::parcel handler_execution::call(remote_message& msg, local_object& o, failure_ref& cause) const {
  detail::parcel value;
  try {
    if (!msg.type)
      throw error("N13", "node " + (job_ ? job_->name_of(homes_.self()) : std::string("N0")) +
                             " cannot find a handler that it must run")
          .fact("called", msg.where)
          .because("the library that contains the handler is not loaded there, or has another version")
          .remedy("load the same libraries on every node before you send their handlers");
    field_reader in(msg.bytes());
    field_writer result(value);
    msg.type->run(o.object, in, result);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), label_of(msg), msg.where);
    value = {};
  }
  return value;
}

void handler_execution::reply(remote_message& msg, bool is_over, const failure_ref& cause, detail::parcel&& value) {
  const bool is_short = is_over && !cause && !msg.reply_share && value.bytes.empty() && value.along.empty();
  if (is_short) replies_.batch(msg);
  else replies_.send(msg, is_over ? reply_stage::value_and_end : reply_stage::value, cause, std::move(value));
}

void handler_execution::report_end(finish_scope& scope, std::unique_ptr<remote_message> msg) {
  thread_state& now = current_thread();
  sched::count_spawned(now);  // in the scope of the runtime, which counts the task of the message
  sched::when_quiet(
      now, scope,
      [](finish_scope& quiet, thread_state& on) noexcept {
        const std::unique_ptr<owed_end> o(static_cast<owed_end*>(quiet.about));
        const failure_ref why = failures_in(quiet, label_of(*o->of), o->of->where);
        sched::close_scope(on, &quiet);
        o->all->replies_.send(o->of->from, reply_stage::end, o->of->request, why);
        sched::count_ended(on, on.owner->root);
      },
      new owed_end{this, std::move(msg)});
}

void handler_execution::finish(local_object& o, bool has_read, detail::handler_span& span, message_origin of) noexcept {
  const std::uint64_t ticks = span.began ? sched::end_handler_time(span, current_thread()) : 0;
  const bool tells = !has_read && o.type && o.type->hint;
  const double hint = tells ? o.type->hint(o.object) : 1;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (of == message_origin::this_node) ++s.ended;
    if (ticks) load_.add(o, ticks);
    if (tells) o.load.hint = hint;
    o.release(has_read);
    if (random_.is_on() && !has_read) migrate_at_random(o);
    local_.advance(o, actions);
  }
  runner_.run(actions);
  quiescence_.check_if_single_node();
}

void handler_execution::record_load(local_object& o, detail::handler_span& span) noexcept {
  if (!span.began) return;
  const std::uint64_t ticks = sched::end_handler_time(span, current_thread());
  span.began = 0;
  const std::scoped_lock lock(directory_.shard_of(o.id).lock);
  load_.add(o, ticks);
}

void handler_execution::migrate_at_random(local_object& o) {
  const auto to = random_.draw(homes_.nodes());
  if (!to || !o.pending_migrations().empty() || o.is_leaving) return;
  if (*to == homes_.self() || homes_.is_lost(*to) || homes_.is_lost(homes_.home_of(o.id))) return;
  auto msg = std::make_unique<remote_message>();
  msg->action = static_cast<std::uint64_t>(message_action::migrate);
  msg->object = o.id;
  msg->from = homes_.self();
  msg->target = *to;
  o.pending_migrations().push_back(msg.release());
}

handler_execution::location handler_execution::read_location(const void* body) const {
  location is;
  if (const base::snapshot_copy<message> local(body); local) is.local = local->handled_object;
  const base::snapshot_copy<remote_body> spawned(body);
  if (!spawned || spawned->all != this) return is;
  if (const base::snapshot_copy<remote_message> remote(spawned->what); remote)
    is.remote = remote->handled_object, is.from = remote->from, is.request = remote->request;
  return is;
}

}  // namespace stretto::mobiles
