#include "dist/remote_tasks.hpp"

#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <fmt/format.h>

#include <new>
#include <utility>
#include <vector>

#include "base/node_numbers.hpp"
#include "base/order_observer.hpp"
#include "base/snapshot_read.hpp"
#include "data/other_nodes.hpp"
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "event/when_ended.hpp"
#include "sched/cancellation.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"

namespace stretto::dist {

using sched::task_record;
using sched::thread_state;

namespace {

constexpr std::size_t longest_task_name = 255;
constexpr std::uint32_t any_worker = detail::task_request().worker;
/// For the back pressure: about the memory of a put on both nodes besides its message, for records, events and
/// attachments.
constexpr std::uint64_t bytes_of_put = 1024;

thread_state& state_of(base::thread_context& context) { return static_cast<thread_state&>(context); }

/// The function at that encoded address, or null.
const detail::remote_function_type* function_at(std::uint64_t bits) {
  const auto* const f = static_cast<const detail::remote_function_type*>(
      decode_constant(bits, sizeof(detail::remote_function_type), alignof(detail::remote_function_type)));
  return f && f->mark == detail::remote_function_mark ? f : nullptr;
}

}  // namespace

/// A call, on the node that runs it, which may be the calling node itself.
struct remote_tasks::request {
  remote_tasks* all;
  rank from;                                               // the calling node
  call_number id;                                          // at the calling node
  const detail::remote_function_type* function = nullptr;  // null: placement only
  std::span<const std::byte> arguments = {};
  std::shared_ptr<const void> arguments_of = {};  // owns the arguments
  event behind = {};                              // precondition
  std::string name = {};
  std::source_location where = {};
  stretto::place at = {}, on = {};  // the tags at() and on() of the call
  std::uint32_t worker = any_worker;
  int priority = 0;
  bool is_profiled = false;
  std::shared_ptr<const void> kept = {};     // of a placement: to be kept until the function has ended
  mutable back_pressure::share memory = {};  // counts the arguments until the function begins
  bool may_be_cancelled = true;
  mutable cancellable_task as = {};  // the task that runs the call, in the list of those that may be cancelled

  std::string who() const { return name.empty() ? "task at " + short_location(where) : "task \"" + name + '"'; }
};

/// A call that register_call() has added on the calling node, before the request is sent.
struct remote_tasks::new_call {
  task_record& record;
  call_number id;
  rank to;
  event behind;       // merged preconditions
  stretto::place on;  // as requested; for a call to this node it was resolved to `worker`
  std::uint32_t worker;
};

// Of a call to the calling node itself.
remote_tasks::request remote_tasks::request_of(remote_tasks* all, const new_call& a,
                                               const detail::remote_request& asked_for,
                                               const detail::remote_function_type* function,
                                               const detail::parcel& arguments, const std::source_location& where) {
  const auto kept = std::make_shared<const detail::parcel>(arguments);
  return {.all = all,
          .from = a.to,
          .id = a.id,
          .function = function,
          .arguments = kept->bytes,
          .arguments_of = kept,
          .behind = a.behind,
          .name = std::string(asked_for.name),
          .where = where,
          .at = asked_for.at,
          .on = a.on,
          .worker = a.worker,
          .priority = asked_for.priority,
          .is_profiled = asked_for.profile != nullptr};
}

remote_tasks::remote_tasks(job* j, ordered_messages* ordered) : job_(j), ordered_(ordered) {
  if (!j) return;
  j->on<&remote_tasks::on_start, &remote_tasks::on_reply<reply_stage::value>,
        &remote_tasks::on_reply<reply_stage::value_and_end>, &remote_tasks::on_reply<reply_stage::end>,
        &remote_tasks::on_cancellation, &remote_tasks::on_cancelled>(this);
  j->on_refused<&remote_tasks::on_refused_call<call_start>>(this);
  j->on_refused<&remote_tasks::on_refused_reply<reply_stage::value>>(this);
  j->on_refused<&remote_tasks::on_refused_reply<reply_stage::value_and_end>>(this);
  ordered->on<&remote_tasks::on_placement>(this);
  ordered->on_refused<&remote_tasks::on_refused_call<call_placement>>(this);
  j->add(*this);
}

// On the calling node, on the thread of the task that calls.

remote_tasks::new_call remote_tasks::register_call(const detail::remote_request& asked_for,
                                                   std::vector<std::shared_ptr<const void>>&& along,
                                                   std::size_t value_bytes, const detail::task_type& type,
                                                   detail::value_reader read, const std::source_location& where) {
  base::require_current("async");
  const rank here = job_ ? job_->self() : rank{0};
  const std::uint32_t nodes = job_ ? job_->nodes() : 1;
  if (asked_for.node != ~0u && asked_for.node >= nodes) throw base::no_such_node(asked_for.node, nodes, where);
  const rank to = asked_for.node == ~0u ? here : static_cast<rank>(asked_for.node);
  if (to != here) job_->hold_back(where);
  auto& t = state_of(base::require_current("async"));

  std::vector<dependency> all(asked_for.after.begin(), asked_for.after.end());
  for (const event e : asked_for.after_events) all.emplace_back(e);
  const event behind = merge_dependencies(all, where);

  sched::checked_priority(asked_for.priority, where);
  stretto::place on = asked_for.on;
  std::uint32_t worker = asked_for.worker;
  if (to == here) {  // wrong places and workers throw S02 or S03 in this call
    const auto there = t.owner->destination_of(asked_for.at, asked_for.on, asked_for.worker, where);
    if (on) on = {}, worker = there.bound - 1u;
  }
  detail::task_request mine;
  mine.name = asked_for.name;
  std::shared_ptr<sched::profile_state> profile;
  if (asked_for.profile) profile = std::make_shared<sched::profile_state>(where);
  auto& record = static_cast<task_record&>(*detail::make_task(value_bytes, type, where, mine).record);
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until it arrives
  if (t.observer) t.observer->reused(&record);                         // its predecessors are not visible here
  const call_number id = calls_.add({{&record, record.scope, read}, to, std::move(along), profile});
  if (profile) profile->promise_to(*asked_for.profile);
  calls_in_flight_.fetch_add(1, std::memory_order_acq_rel);
  sched::count_spawned(t);
  return {record, id, to, behind, on, worker};
}

namespace {

call_fields fields_of(call_number id, const detail::remote_request& asked_for,
                      const detail::remote_function_type* function, event behind, const std::source_location& where) {
  return {.call = id,
          .function = function ? encode_constant(function, sizeof *function) : 0,
          .behind = behind,
          .where = where,
          .at = asked_for.at,
          .on = asked_for.on,
          .worker = asked_for.worker == any_worker ? std::nullopt : std::optional(asked_for.worker),
          .is_profiled = asked_for.profile != nullptr,
          .priority = static_cast<std::int8_t>(asked_for.priority),
          .name = std::string(asked_for.name.substr(0, longest_task_name))};
}

}  // namespace

task_record& remote_tasks::spawn(const detail::remote_request& asked_for, const detail::remote_function_type& function,
                                 const detail::parcel& arguments, std::size_t value_bytes,
                                 const detail::task_type& type, detail::value_reader read,
                                 const std::source_location& where) {
  const new_call a = register_call(asked_for, std::vector(arguments.along), value_bytes, type, read, where);
  if (!job_ || a.to == job_->self()) {
    start(request_of(this, a, asked_for, &function, arguments, where));
    return a.record;
  }
  job_->send(a.to, call_start{fields_of(a.id, asked_for, &function, a.behind, where), arguments.bytes});
  // If the node is lost by now, its loss may have been handled before the record existed.
  if (job_->is_lost(a.to)) lost(a.to, base::require_current("async"));
  return a.record;
}

task_record& remote_tasks::place(const detail::remote_request& asked_for, const detail::parcel& first,
                                 const detail::remote_function_type* function, const detail::parcel& arguments,
                                 std::size_t value_bytes, const detail::task_type& type, detail::value_reader read,
                                 const std::source_location& where) {
  std::vector<std::shared_ptr<const void>> along = arguments.along;
  along.insert(along.end(), first.along.begin(), first.along.end());
  const new_call a = register_call(asked_for, std::move(along), value_bytes, type, read, where);
  base::thread_context& context = base::require_current("put");
  if (job_ && a.to != job_->self() && a.behind.has_triggered()) {
    back_pressure::share memory(job_->pressure(), back_pressure::kind::unanswered,
                                first.bytes.size() + arguments.bytes.size() + bytes_of_put);
    calls_.change(a.id, [&](remote_call& call) { call.memory = std::move(memory); });
  }
  if (!job_ || a.to == job_->self()) {
    place_here(request_of(this, a, asked_for, function, arguments, where), first.bytes, context);
    return a.record;
  }
  ordered_->send(a.to, call_placement{.call = fields_of(a.id, asked_for, function, a.behind, where),
                                      .has_function = function != nullptr,
                                      .objects = {first.bytes},
                                      .arguments = arguments.bytes});
  if (job_->is_lost(a.to)) lost(a.to, context);
  return a.record;
}

// On the node that runs the call. The handlers, on_..., run inside job::poll.

remote_tasks::request remote_tasks::request_from(rank from, const call_fields& call) {
  return {.all = this,
          .from = from,
          .id = call.call,
          .function = function_at(call.function),
          .behind = call.behind,
          .name = call.name,
          .where = call.where,
          .at = call.at,
          .on = call.on,
          .worker = call.worker.value_or(any_worker),
          .priority = call.priority,
          .is_profiled = call.is_profiled};
}

void remote_tasks::on_start(rank from, const call_start& m, base::thread_context&) {
  request r = request_from(from, m.call);
  if (!keep(r, m.arguments)) return;
  // A call that waits for events does not count in the back pressure: it may wait for messages that are still to come,
  // which the back pressure would keep away.
  if (r.behind.has_triggered()) r.memory = {job_->pressure(), back_pressure::kind::received, m.arguments.size()};
  try {
    require_function(r);
    start(std::move(r));
  } catch (...) {
    const std::string what = "a task for node " + job_->name_of(job_->self());
    refuse(from, m.call.call, detail::make_failure(std::current_exception(), what, m.call.where));
  }
}

bool remote_tasks::keep(request& r, std::span<const std::byte> arguments) {
  try {
    const std::shared_ptr<const std::byte> kept = job_->keep(arguments);
    r.arguments = {kept.get(), arguments.size()};
    r.arguments_of = kept;
    return true;
  } catch (const std::bad_alloc&) {
    const failure_ref why = job_->no_room_for(job_->kind_of<call_start>(), r.from, arguments.size());
    refuse(r.from, r.id, failure_ref::adopt(new failure(*why.get(), r.who(), r.where)));
    return false;
  }
}

template <class M>
void remote_tasks::on_refused_call(rank from, const M& prefix, failure_ref cause, base::thread_context&) {
  const request r = request_from(from, prefix.call);
  refuse(from, r.id, failure_ref::adopt(new failure(*cause.get(), r.who(), r.where)));
}

void remote_tasks::require_function(const request& r) const {
  if (!r.function)
    throw error("N13", "node " + job_->name_of(job_->self()) + " cannot find a function that it must run")
        .fact("caller", job_->name_of(r.from))
        .fact("called", r.where)
        .because("the library that contains the function is not loaded there, or has another version")
        .remedy("load the same libraries on every node before you call their functions");
}

void remote_tasks::on_placement(rank from, const call_placement& m, base::thread_context& context) {
  request r = request_from(from, m.call);
  if (!keep(r, m.arguments)) return;
  try {
    if (m.has_function) require_function(r);
    place_here(std::move(r), m.objects.all, context);
  } catch (...) {
    const std::string what = "a put on node " + job_->name_of(job_->self());
    refuse(from, m.call.call, detail::make_failure(std::current_exception(), what, m.call.where));
  }
}

void remote_tasks::place_here(request&& r, std::span<const std::byte> first, base::thread_context& context) {
  try {
    data::shared_arrays::placed placed =
        data::attachments_of(context)->shared->place(first, r.behind, r.where, context);
    r.behind = placed.done;
    r.kept = std::move(placed.kept);
    r.may_be_cancelled = false;  // the placement happens in any case
  } catch (...) {
    return reply(r.from, reply_stage::value_and_end, r.id,
                 detail::make_failure(std::current_exception(), r.who(), r.where));
  }
  if (r.function) return start(std::move(r));
  const event behind = r.behind;
  detail::when_ended(behind, context, [this, r = std::move(r)](const failure* cause, base::thread_context&) {
    if (cause) cause->mark_observed();  // the calling node observes it
    reply(r.from, reply_stage::value_and_end, r.id,
          cause ? failure_ref::adopt(new failure(*cause, r.who(), r.where)) : failure_ref());
  });
}

void remote_tasks::start(request&& asked_for) {
  const auto r = std::make_shared<const request>(std::move(asked_for));
  detail::task_request how;
  how.at = r->at;
  how.on = r->on;
  how.worker = r->worker;
  how.priority = r->priority;
  how.name = r->name;
  future<operation_profile> here;  // unused: the profile is read before the task ends
  if (r->is_profiled) how.profile = &here;
  // The task runs even if the precondition has failed, because it sends the reply.
  const event begins = r->behind == event() ? event() : ignore_failure(r->behind, r->where);
  how.after_events = std::span(&begins, 1);
  // Only the finish around the whole runtime counts this task; the calling node counts the call in the caller's finish.
  const sched::outside_of_finishes outside(state_of(base::require_current("async")));
  future<void> task = detail::spawn_as(how, [r] { run(*r); }, r->where);
  if (r->may_be_cancelled) list(r->as, r->from, r->id, std::move(task));
}

void remote_tasks::list(cancellable_task& s, rank from, call_number id, future<void>&& task) noexcept {
  const std::scoped_lock lock(list_lock_);
  s.in = this;
  s.from = from;
  s.id = id;
  s.task = std::move(task);
  s.next = first_;
  if (first_) first_->before = &s;
  first_ = &s;
}

void remote_tasks::unlist(cancellable_task& s) noexcept {
  const std::scoped_lock lock(list_lock_);
  (s.before ? s.before->next : first_) = s.next;
  if (s.next) s.next->before = s.before;
}

// Cancels the task of the call, unless it has begun or has ended. Returns true if the function will not run.
bool remote_tasks::withdraw(rank from, call_number id, const std::source_location& where,
                            base::thread_context& context) {
  future<void> task;
  {
    const std::scoped_lock lock(list_lock_);
    for (const cancellable_task* s = first_; s && !task.valid(); s = s->next)
      if (s->from == from && s->id == id) task = s->task;
  }
  if (!task.valid()) return false;
  return sched::cancel_task(state_of(context), static_cast<task_record&>(*dependency(task).task()), where);
}

// On the calling node: waits for the reply of the node that runs the call.
bool remote_tasks::cancel(const task_record& record, const std::source_location& where) {
  base::thread_context& context = base::require_current("cancel");
  const auto mine = std::make_shared<pending_cancel>();
  mine->where = where;
  calls_.for_each([&](call_number id, const remote_call& a) {
    if (a.record != &record) return;
    mine->id = id;
    mine->of = a.of;
  });
  if (mine->id == call_number{}) return false;
  if (!job_ || mine->of == job_->self()) {
    const bool is_withdrawn = withdraw(mine->of, mine->id, where, context);
    if (is_withdrawn) complete_cancelled_call(mine->id, where, context);
    return is_withdrawn;
  }
  mine->replied = user_event::create(where);
  job_->send(mine->of, call_cancellation{mine->id, cancels_.add(mine), where});
  if (job_->is_lost(mine->of)) lost(mine->of, context);
  wait(mine->replied, where);
  return mine->is_withdrawn.load(std::memory_order_acquire);
}

void remote_tasks::on_cancellation(rank from, const call_cancellation& m, base::thread_context& context) {
  const bool is_withdrawn = withdraw(from, m.call, m.where, context);
  job_->send(from, call_cancelled{m.request, is_withdrawn});
}

void remote_tasks::on_cancelled(rank, const call_cancelled& m, base::thread_context& context) {
  if (const auto c = cancels_.complete(m.request)) end_cancel(**c, m.is_withdrawn, context);
}

void remote_tasks::end_cancel(pending_cancel& c, bool is_withdrawn, base::thread_context& context) {
  if (is_withdrawn) complete_cancelled_call(c.id, c.where, context);
  c.is_withdrawn.store(is_withdrawn, std::memory_order_release);
  c.replied.trigger();
}

// On the calling node: the record ends with S18, as that of a skipped task. The finish of the call does not get the
// failure: the task that called cancel() knows of it.
void remote_tasks::complete_cancelled_call(call_number id, const std::source_location& where,
                                           base::thread_context& context) {
  const auto found = calls_.complete(id);
  if (!found) return;
  const remote_call& a = *found;
  failure_ref why = sched::cancelled_failure(*a.record, where);
  if (a.profile) a.profile->deliver(why.get(), detail::describe_task(*a.record), context);
  a.record->complete(std::move(why), context);
  end_all(a, {}, context);
}

// The body of the task that start() has spawned. Sends the value as soon as the function returns. The end of all that
// it has spawned is sent with the value if nothing is left then, else after the finish.
void remote_tasks::run(const request& r) {
  r.memory.end();
  remote_tasks& at = *r.all;
  failure_ref behind;
  if (r.behind != event()) behind = detail::cause_of(dependency(r.behind), base::require_current("async"));
  if (behind && r.kept) behind->mark_observed();  // the calling node observes it
  if (behind)
    return at.reply(r.from, reply_stage::value_and_end, r.id,
                    failure_ref::adopt(new failure(*behind.get(), r.who(), r.where)));
  bool is_over = false;
  try {
    finish(
        [&] {
          detail::parcel value;
          failure_ref cause;
          try {
            field_reader in(r.arguments);
            field_writer out(value);
            r.function->run(in, out);
          } catch (...) {
            cause = detail::make_failure(std::current_exception(), r.who(), r.where);
            value = {};
          }
          const thread_state& now =
              state_of(base::require_current("async"));  // the function may have ended on another thread
          is_over = now.scope->is_quiet(now.owner->shard_count()) && now.scope->failures.is_empty();
          task_times took;
          if (r.is_profiled) took = sched::profile_of(*now.current).so_far(now);
          at.reply(r.from, is_over ? reply_stage::value_and_end : reply_stage::value, r.id, cause, took,
                   std::move(value));
        },
        r.where);
    if (!is_over) at.reply(r.from, reply_stage::end, r.id, {});
  } catch (...) {
    // Tasks that the function has spawned have failed. A failure of the function itself was sent with the value.
    at.reply(r.from, reply_stage::end, r.id,
             detail::make_failure(std::current_exception(), "what " + r.who() + " had spawned", r.where));
  }
}

void remote_tasks::reply(rank to, reply_stage what, call_number id, const failure_ref& cause, const task_times& took,
                         detail::parcel&& value) {
  auto& context = base::require_current("async");
  if (!job_ || to == job_->self()) return complete_call(what, id, cause, took, value.bytes, context);
  // Arrays attached to the value: this node keeps them until the calling node has read the reply.
  const data::kept_attachments along = data::keep_for(to, std::move(value.along), context);
  const auto send = [&](auto m) {
    m.call = id;
    m.along = along;
    m.why = cause;
    m.times = took;
    m.value = value.bytes;
    job_->send(to, m, std::move(value.bytes));
  };
  switch (what) {
    case reply_stage::value: return send(call_reply<reply_stage::value>());
    case reply_stage::value_and_end: return send(call_reply<reply_stage::value_and_end>());
    case reply_stage::end: return send(call_reply<reply_stage::end>());
  }
}

// On the calling node, inside job::poll. complete_call runs in a task instead if the calling node itself runs the call.

template <reply_stage what>
void remote_tasks::on_reply(rank from, const call_reply<what>& m, base::thread_context& context) {
  complete_call(what, m.call, m.why, m.times, m.why ? std::span<const std::byte>() : m.value, context);
  data::acknowledge_message(from, m.along, context);
}

template <reply_stage what>
void remote_tasks::on_refused_reply(rank from, const call_reply<what>& prefix, failure_ref cause,
                                    base::thread_context& context) {
  complete_call(what, prefix.call, std::move(cause), sched::measured_elsewhere(), {}, context);
  data::acknowledge_message(from, prefix.along, context);  // nobody will read it: release it
}

void remote_tasks::complete_call(reply_stage what, call_number id, failure_ref cause, const task_times& took,
                                 std::span<const std::byte> value, base::thread_context& context) {
  auto part = calls_.complete(id, what, cause);
  if (!part) return;  // ended before, when its node failed; or the end has overtaken a large value
  if (part->ends_value) {
    remote_call& a = part->call;
    a.memory.end();
    if (a.profile) {
      if (took) a.profile->ran_elsewhere(*took);
      a.profile->deliver(cause.get(), detail::describe_task(*a.record), context);
    }
    a.end_value(std::move(cause), value, context);
  }
  if (part->ends_call) end_all(part->call, part->end_cause, context);
}

void remote_tasks::end_all(const remote_call& a, const failure_ref& cause, base::thread_context& context) {
  a.end_all(cause, context);
  calls_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

// A call and the task that runs it have the same name on all nodes.

namespace {

std::string name_of_call(rank from, call_number id) { return fmt::format("run {}:{}", from, base::value_of(id)); }

}  // namespace

void remote_tasks::add_pending_calls(base::wait_walk& walk) {
  calls_.for_each([&](call_number id, const remote_call& a) {
    if (walk.is_full()) return;
    // Once its value has arrived, only its scope waits for what it has spawned.
    const std::uint32_t node = a.record ? walk.at(base::wait_kind::task, detail::bits_of_record(a.record))
                                        : walk.at(base::wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&a));
    walk[node].everywhere = name_of_call(job_ ? job_->self() : rank{0}, id);
    if (!a.record) walk.link(walk.at(base::wait_kind::finish, reinterpret_cast<std::uintptr_t>(a.scope)), node);
  });
}

void remote_tasks::name_running_calls(base::wait_walk& walk) const {
  for (const auto& [bits, node] : walk.all(base::wait_kind::task)) {
    // The body of a task that start() has spawned begins with a pointer to a request that points back here; no other
    // does.
    const auto* const record = static_cast<const std::byte*>(detail::record_in(bits));
    const base::snapshot_copy<const request*> body(record + detail::storage_offset);
    if (walk[node].kind != base::wait_kind::task || !body) continue;
    if (const base::snapshot_copy<request> r(*body); r && r->all == this)
      walk[node].everywhere = name_of_call(r->from, r->id);
  }
}

void remote_tasks::lost(rank node, base::thread_context& context) noexcept {
  const auto cancels = cancels_.fail_if([node](const auto& c) { return c->of == node; });
  const auto ends = calls_.fail_if([node](const remote_call& a) { return a.of == node; });
  const failure_ref loss = job_->loss_of(node);
  for (const auto& [a, ends_value, ends_call, end_cause] : ends) {
    if (ends_value) {
      if (a.profile) {
        a.profile->mark_started(context);  // this node does not know when the function began, or if
        a.profile->deliver(loss.get(), detail::describe_task(*a.record), context);
      }
      a.end_value(failure_ref::adopt(new failure(*loss.get(), detail::describe_task(*a.record), a.record->where)), {},
                  context);
    }
    // The tasks that the call has spawned there have failed, too. One failure for each call is enough: that of the
    // value if it was missing, else this one.
    end_all(a, ends_value ? failure_ref() : loss, context);
  }
  for (const auto& one : cancels) end_cancel(*one.call, false, context);
}

}  // namespace stretto::dist
