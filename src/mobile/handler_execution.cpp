// handler_execution.cpp - runs handlers of remote messages, ends handlers, destroys objects, and completes messages
// that no handler runs.
#include <stretto/error.hpp>

#include <mutex>
#include <utility>

#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/counted_task.hpp"
#include "sched/handler_time.hpp"
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

void mobile_objects::begin_handler(message& msg, thread_state& t) {
  if (!msg.is_remote) {
    task_record& r = record_of(msg);
    r.made_ready_by(t.current_id);
    return sched::make_ready(t, r);
  }
  const sched::outside_of_finishes outside(t);
  begin_remote_handler(static_cast<remote_message&>(msg), t);
}

void mobile_objects::begin_remote_handler(remote_message& remote, thread_state& t) {
  remote_handlers_running_.fetch_add(1, std::memory_order_relaxed);
  sched::count_spawned(t);
  sched::spawn_counted(
      t, {.scope = t.owner->root, .where = remote.where, .priority = remote.priority, .name = remote.name},
      remote_handler_body{this, &remote});
}

void mobile_objects::run_remote_handler(std::unique_ptr<remote_message> msg) {
  struct handled {
    std::atomic<std::uint64_t>& count;
    ~handled() { --count; }
  } const then{remote_handlers_running_};
  msg->memory.end();
  local_object& o = *static_cast<local_object*>(msg->handled_object);
  if (msg->action_taken() == message_action::destroy) {
    destroy_object(o, message_origin::other_node);
    return send_reply(*msg, reply_stage::value_and_end, {});
  }
  finish_scope* scope;
  {
    thread_state& t = current_thread();
    scope = sched::open_scope(t, msg->where);
    sched::enter_scope(t, scope);
  }
  detail::parcel value;
  failure_ref cause = msg->refused;
  detail::handler_span span;
  if (o.is_measured.load(std::memory_order_acquire) && msg->action_taken() == message_action::handle)
    detail::begin_span(span, o);
  if (!cause) try {
      if (!msg->type)
        throw error("N13", "node " + (job_ ? job_->name_of(self_) : std::string("N0")) +
                               " cannot find a handler that it must run")
            .fact("called", msg->where)
            .because("the library that contains the handler is not loaded there, or has another version")
            .remedy("load the same libraries on every node before you send their handlers");
      field_reader in(msg->bytes());
      field_writer result(value);
      msg->type->run(o.object, in, result);
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), label_of(*msg), msg->where);
      value = {};
    }
  thread_state& t = current_thread();
  sched::enter_scope(t, scope->outer);
  const bool is_over = scope->is_quiet(t.owner->shard_count()) && scope->failures.is_empty();
  record_load(o, span);
  // Reply before the object may leave: a reply that waits here is lost if this node fails.
  const bool is_short = is_over && !cause && !msg->reply_share && value.bytes.empty() && value.along.empty();
  if (is_short) batch_reply(*msg);
  else send_reply(*msg, is_over ? reply_stage::value_and_end : reply_stage::value, cause, std::move(value));
  if (msg->action_taken() == message_action::make && cause) construction_failed(o, cause);
  else finish_handler(o, reads(*msg), span, message_origin::other_node);
  // A batch of replies does not wait for other handlers if none runs.
  if (reply_batcher_ && remote_handlers_running_ == 1) flush_reply_batches();
  if (is_over) return sched::close_scope(current_thread(), scope);
  struct owed {
    mobile_objects* all;
    std::unique_ptr<remote_message> of;
  };
  thread_state& now = current_thread();
  sched::count_spawned(now);  // in the scope of the runtime, which counts the task of the message
  sched::when_quiet(
      now, *scope,
      [](finish_scope& quiet, thread_state& on) noexcept {
        const std::unique_ptr<owed> o(static_cast<owed*>(quiet.about));
        const failure_ref why = failures_in(quiet, label_of(*o->of), o->of->where);
        sched::close_scope(on, &quiet);
        o->all->send_reply(o->of->from, reply_stage::end, o->of->request, why);
        sched::count_ended(on, on.owner->root);
      },
      new owed{this, std::move(msg)});
}

void mobile_objects::finish_handler(local_object& o, bool has_read, detail::handler_span& span,
                                    message_origin of) noexcept {
  const std::uint64_t ticks = span.began ? sched::end_handler_time(span, current_thread()) : 0;
  const bool tells = !has_read && o.type && o.type->hint;
  const double hint = tells ? o.type->hint(o.object) : 1;
  deferred_actions actions;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (of == message_origin::this_node) ++s.ended;
    if (ticks) o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
    if (tells) o.load.hint = hint;
    o.release(has_read);
    if (settings_.random_migration_percent && !has_read) migrate_at_random(o);
    advance_object(o, actions);
  }
  run(actions);
  quiescence_.check_if_single_node();
}

void mobile_objects::record_load(local_object& o, detail::handler_span& span) noexcept {
  if (!span.began) return;
  const std::uint64_t ticks = sched::end_handler_time(span, current_thread());
  span.began = 0;
  const std::scoped_lock lock(shard_of(o.id).lock);
  o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
}

void mobile_objects::destroy_object(local_object& gone, message_origin of) noexcept {
  if (gone.object) gone.type->destroy(gone.object);
  deferred_actions actions;
  const object_id id = gone.id;
  std::unique_ptr<local_object> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    if (of == message_origin::this_node) ++s.ended;
    o = std::move(e.local);
    --s.counters.objects;
    fail_all_messages(*o, e, destroyed_failure(id, o->name), actions);
    actions.drop.push_back(std::move(e.departed));
    notify_visited(id, e, actions);
    s.all.erase(id);
  }
  for (const auto& [sender, c] : o->remote_senders())
    if (sender != home_of(id)) actions.send.push_back({sender, object_destroyed{id}});
  if (home_of(id) != self_) actions.send.push_back({home_of(id), object_destroyed{id}});
  run(actions);
  quiescence_.check_if_single_node();
}

void mobile_objects::construction_failed(local_object& gone, const failure_ref& cause) {
  deferred_actions actions;
  const object_id id = gone.id;
  std::unique_ptr<local_object> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    o = std::move(e.local);
    --s.counters.objects;
    e.loss = loss_failure(id, o->name, *cause.get());
    fail_all_messages(*o, e, e.loss, actions);
  }
  if (home_of(id) != self_) actions.send.push_back({home_of(id), object_failed{id, cause}});
  run(actions);
}

void mobile_objects::fail_all_messages(local_object& o, entry& e, const failure_ref& cause, deferred_actions& actions) {
  while (message* const msg = o.waiting().pop()) actions.complete.push_back({msg, cause});
  for (message* msg : o.pending_migrations()) actions.complete.push_back({msg, cause});
  o.pending_migrations().clear();
  const auto fail_out_of_order = [&](sender_state& c) {
    for (const auto& [number, msg] : c.out_of_order)
      if (msg) actions.complete.push_back({msg, cause});
    c.out_of_order.clear();
  };
  fail_out_of_order(o.local_sender());
  for (auto& [sender, c] : o.remote_senders()) fail_out_of_order(c);
  for (auto& msg : e.parked) actions.complete.push_back({msg.release(), cause});
  e.parked.clear();
}

void mobile_objects::complete_unhandled(message& msg, failure_ref cause, bool is_permanent) {
  if (msg.is_remote) {
    const std::unique_ptr<remote_message> remote(&static_cast<remote_message&>(msg));
    if (cause)
      cause = failure_ref::adopt(new failure(
          *cause.get(), remote->name.empty() ? "message" : "message \"" + remote->name + '"', remote->where));
    return send_reply(*remote, reply_stage::value_and_end, cause, {}, is_permanent && cause);
  }
  count_ended();
  thread_state& t = current_thread();
  task_record& r = record_of(msg);
  if (cause)
    return sched::skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
  sched::finish_scope* const scope = r.scope;
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  r.complete(t);
  sched::count_ended(t, scope);
}

}  // namespace stretto::mobiles
