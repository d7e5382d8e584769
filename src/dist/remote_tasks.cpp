#include "dist/remote_tasks.hpp"

#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <fmt/format.h>

#include <new>
#include <utility>
#include <vector>

#include "base/node_numbers.hpp"
#include "base/order_observer.hpp"
#include "base/peek.hpp"
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
/// About what a put takes on both nodes besides its message: records, events, attachments.
constexpr std::uint64_t bytes_of_put = 1024;

thread_state& state_of(base::thread_context& context) { return static_cast<thread_state&>(context); }

/// The function at that encoded address, or null.
const detail::remote_function_type* function_at(std::uint64_t bits) {
  const auto* const f = static_cast<const detail::remote_function_type*>(
      decode_constant(bits, sizeof(detail::remote_function_type), alignof(detail::remote_function_type)));
  return f && f->mark == detail::remote_function_mark ? f : nullptr;
}

}  // namespace

/// A call, on the node that runs it.
struct remote_tasks::request {
  remote_tasks* all;
  rank from;
  std::uint64_t id;
  const detail::remote_function_type* function = nullptr;  // null: placement only
  std::span<const std::byte> arguments = {};
  std::shared_ptr<const void> arguments_of = {};
  event behind = {};
  std::string name = {};
  std::source_location where = {};
  stretto::place at = {}, on = {};
  std::uint32_t worker = ~0u;
  int priority = 0;
  bool is_profiled = false;
  std::shared_ptr<const void> kept = {};     // keeps what the function uses alive
  mutable back_pressure::share memory = {};  // until the function begins
  bool may_be_cancelled = true;
  mutable cancellable_task as = {};

  std::string who() const { return name.empty() ? "task at " + short_location(where) : "task \"" + name + '"'; }
};

struct remote_tasks::new_call {
  task_record& record;
  std::uint64_t id;
  rank to;
  event behind;
  stretto::place on;     // where to run, unless it was resolved to
  std::uint32_t worker;  // this worker
};

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

remote_tasks::remote_tasks(job* j, failure_codec* causes, ordered_messages* ordered)
    : job_(j), causes_(causes), ordered_(ordered) {
  if (!j) return;
  run_ = j->on<&remote_tasks::on_run>("tasks.run", this);
  value_ = j->on<&remote_tasks::on_reply<reply_stage::value>>("tasks.value", this);
  value_and_end_ = j->on<&remote_tasks::on_reply<reply_stage::value_and_end>>("tasks.value_and_end", this);
  end_ = j->on<&remote_tasks::on_reply<reply_stage::end>>("tasks.end", this);
  cancel_ = j->on<&remote_tasks::on_cancel>("tasks.cancel", this);
  cancelled_ = j->on<&remote_tasks::on_cancelled>("tasks.cancelled", this);
  j->on_refused<&remote_tasks::on_refused_run>(run_, this);
  j->on_refused<&remote_tasks::on_refused_reply<reply_stage::value>>(value_, this);
  j->on_refused<&remote_tasks::on_refused_reply<reply_stage::value_and_end>>(value_and_end_, this);
  place_ = ordered->on<&remote_tasks::on_place>(this);
  ordered->on_refused<&remote_tasks::on_refused_run>(place_, this);
  j->add(*this);
}

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
  if (to == here) {  // report wrong places and workers now
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
  const std::uint64_t id = ids_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::scoped_lock lock(lock_);
    pending_calls_.emplace(id, remote_call{{&record, record.scope, read}, to, false, {}, std::move(along), profile});
  }
  if (profile) profile->promise_to(*asked_for.profile);
  calls_in_flight_.fetch_add(1, std::memory_order_acq_rel);
  sched::count_spawned(t);
  return {record, id, to, behind, on, worker};
}

namespace {
void put(writer& w, const sched::measured_elsewhere& m) {
  w.put(m.waited).put(m.queued).put(m.ran).put(m.suspended).put(m.suspensions).put(m.worker).put(m.last_worker);
}
sched::measured_elsewhere get_measured(reader& content) {
  sched::measured_elsewhere m;
  for (std::int64_t* const ns : {&m.waited, &m.queued, &m.ran, &m.suspended}) *ns = content.get<std::int64_t>();
  for (std::uint32_t* const n : {&m.suspensions, &m.worker, &m.last_worker}) *n = content.get<std::uint32_t>();
  return m;
}

void put_request(writer& w, std::uint64_t id, const detail::remote_request& asked_for,
                 const detail::remote_function_type* function, event behind, const std::source_location& where,
                 std::uint16_t node) {
  w.put(id);
  w.put(function ? encode_constant(function, sizeof *function) : 0);
  w.put(behind.raw());
  w.put(encode(where, node));
  w.put(asked_for.at.index);
  w.put(asked_for.on.index);
  w.put(asked_for.worker);
  w.put(asked_for.profile != nullptr);
  w.put(static_cast<std::int8_t>(asked_for.priority));
  w.put_text(asked_for.name, longest_task_name);
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
  writer w;
  put_request(w, a.id, asked_for, &function, a.behind, where, job_->node());
  w.put_bytes(arguments.bytes);
  job_->send(a.to, run_, std::move(w));
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
    const std::scoped_lock lock(lock_);
    if (const auto found = pending_calls_.find(a.id); found != pending_calls_.end())
      found->second.memory = {job_->pressure(), back_pressure::kind::unanswered,
                              first.bytes.size() + arguments.bytes.size() + bytes_of_put};
  }
  if (!job_ || a.to == job_->self()) {
    place_here(request_of(this, a, asked_for, function, arguments, where), first.bytes, context);
    return a.record;
  }
  writer w;
  put_request(w, a.id, asked_for, function, a.behind, where, job_->node());
  w.put(function != nullptr);
  w.put(static_cast<std::uint64_t>(first.bytes.size()));
  w.put_bytes(first.bytes);
  w.put_bytes(arguments.bytes);
  ordered_->send(a.to, place_, w);
  if (job_->is_lost(a.to)) lost(a.to, context);
  return a.record;
}

remote_tasks::request remote_tasks::read(rank from, reader& content) const {
  request r{.all = const_cast<remote_tasks*>(this), .from = from, .id = content.get<std::uint64_t>()};
  r.function = function_at(content.get<std::uint64_t>());
  r.behind = event::from_raw(content.get<std::uint64_t>());
  r.where = decode(content.get<std::uint64_t>(), job_->node_of(from));
  r.at = stretto::place{content.get<std::uint32_t>()};
  r.on = stretto::place{content.get<std::uint32_t>()};
  r.worker = content.get<std::uint32_t>();
  r.is_profiled = content.get<bool>();
  r.priority = content.get<std::int8_t>();
  r.name = content.get_text();
  return r;
}

void remote_tasks::on_run(rank from, reader& content, base::thread_context&) {
  request r = read(from, content);
  const auto arguments = content.get_bytes(content.left());
  if (!keep(r, arguments, run_)) return;
  // A call that waits for events may wait for messages that are still to come: it does not count.
  if (r.behind.has_triggered()) r.memory = {job_->pressure(), back_pressure::kind::received, arguments.size()};
  const std::uint64_t id = r.id;
  const std::source_location where = r.where;
  try {
    require_function(r);
    start(std::move(r));
  } catch (...) {
    refuse(from, id,
           detail::make_failure(std::current_exception(), "a task for node " + job_->name_of(job_->self()), where));
  }
}

bool remote_tasks::keep(request& r, std::span<const std::byte> arguments, message_kind kind) {
  try {
    const std::shared_ptr<const std::byte> kept = job_->keep(arguments);
    r.arguments = {kept.get(), arguments.size()};
    r.arguments_of = kept;
    return true;
  } catch (const std::bad_alloc&) {
    refuse(r.from, r.id,
           failure_ref::adopt(new failure(*job_->no_room_for(kind, r.from, arguments.size()).get(), r.who(), r.where)));
    return false;
  }
}

void remote_tasks::on_refused_run(rank from, reader& message_prefix, failure_ref cause, base::thread_context&) {
  const request r = read(from, message_prefix);
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

void remote_tasks::on_place(rank from, reader& content, base::thread_context& context) {
  request r = read(from, content);
  const bool has_function = content.get<bool>();
  const auto first = content.get_bytes(content.get<std::uint64_t>());
  if (!keep(r, content.get_bytes(content.left()), run_)) return;
  const std::uint64_t id = r.id;
  const std::source_location where = r.where;
  try {
    if (has_function) require_function(r);
    place_here(std::move(r), first, context);
  } catch (...) {
    refuse(from, id,
           detail::make_failure(std::current_exception(), "a put on node " + job_->name_of(job_->self()), where));
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
  // It runs even if the precondition failed, to send the reply.
  const event begins = r->behind == event() ? event() : ignore_failure(r->behind, r->where);
  how.after_events = std::span(&begins, 1);
  // Only the finish around the whole runtime counts this task; the calling node counts the call in the caller's finish.
  const sched::outside_of_finishes outside(state_of(base::require_current("async")));
  future<void> task = detail::spawn_as(how, [r] { run(*r); }, r->where);
  if (r->may_be_cancelled) list(r->as, r->from, r->id, std::move(task));
}

void remote_tasks::list(cancellable_task& s, rank from, std::uint64_t id, future<void>&& task) noexcept {
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

bool remote_tasks::withdraw(rank from, std::uint64_t id, const std::source_location& where,
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

bool remote_tasks::cancel(const task_record& record, const std::source_location& where) {
  base::thread_context& context = base::require_current("cancel");
  const auto mine = std::make_shared<pending_cancel>();
  mine->where = where;
  std::uint64_t token = 0;
  {
    const std::scoped_lock lock(lock_);
    const auto found =
        std::ranges::find(pending_calls_, &record, [](const auto& entry) { return entry.second.record; });
    if (found == pending_calls_.end()) return false;
    mine->id = found->first;
    mine->of = found->second.of;
    if (job_ && mine->of != job_->self()) {
      mine->replied = user_event::create(where);
      pending_cancels_.emplace(token = ids_.fetch_add(1, std::memory_order_relaxed), mine);
    }
  }
  if (!job_ || mine->of == job_->self()) {
    const bool is_withdrawn = withdraw(mine->of, mine->id, where, context);
    if (is_withdrawn) complete_cancelled_call(mine->id, where, context);
    return is_withdrawn;
  }
  job_->send(mine->of, cancel_, writer(mine->id, token, encode(where, job_->node())));
  if (job_->is_lost(mine->of)) lost(mine->of, context);
  wait(mine->replied, where);
  return mine->is_withdrawn.load(std::memory_order_acquire);
}

void remote_tasks::on_cancel(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>(), token = content.get<std::uint64_t>();
  const std::source_location where = decode(content.get<std::uint64_t>(), job_->node_of(from));
  const bool is_withdrawn = withdraw(from, id, where, context);
  job_->send(from, cancelled_, writer(token, static_cast<std::uint8_t>(is_withdrawn)));
}

void remote_tasks::on_cancelled(rank, reader& content, base::thread_context& context) {
  const auto token = content.get<std::uint64_t>();
  complete_cancel(token, content.get<std::uint8_t>() != 0, context);
}

void remote_tasks::complete_cancel(std::uint64_t token, bool is_withdrawn, base::thread_context& context) {
  std::shared_ptr<pending_cancel> c;
  {
    const std::scoped_lock lock(lock_);
    const auto found = pending_cancels_.find(token);
    if (found == pending_cancels_.end()) return;  // ended before, when its node was lost
    c = std::move(found->second);
    pending_cancels_.erase(found);
  }
  if (is_withdrawn) complete_cancelled_call(c->id, c->where, context);
  c->is_withdrawn.store(is_withdrawn, std::memory_order_release);
  c->replied.trigger();
}

// Ends like a skipped task; but the caller of cancel() knows, so that no finish rethrows it.
void remote_tasks::complete_cancelled_call(std::uint64_t id, const std::source_location& where,
                                           base::thread_context& context) {
  remote_call a;
  {
    const std::scoped_lock lock(lock_);
    const auto found = pending_calls_.find(id);
    if (found == pending_calls_.end()) return;
    a = std::move(found->second);
    pending_calls_.erase(found);
  }
  failure_ref why = sched::cancelled_failure(*a.record, where);
  if (a.profile) a.profile->deliver(why.get(), detail::describe_task(*a.record), context);
  a.record->complete(std::move(why), context);
  end_all(a, {}, context);
}

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
    at.reply(r.from, reply_stage::end, r.id,
             detail::make_failure(std::current_exception(), "what " + r.who() + " had spawned", r.where));
  }
}

void remote_tasks::reply(rank to, reply_stage what, std::uint64_t id, const failure_ref& cause, const task_times& took,
                         detail::parcel&& value) {
  auto& context = base::require_current("async");
  if (!job_ || to == job_->self()) return complete_call(what, id, cause, took, value.bytes, context);
  const std::uint64_t along = data::keep_for(to, std::move(value.along), context);
  writer w(id, cause ? reply_kind::failure : along ? reply_kind::value_with_more : reply_kind::value);
  if (cause) causes_->write(w, *cause.get());
  else if (along) w.put(along);
  w.put(took.has_value());
  if (took) put(w, *took);
  job_->send(to,
             what == reply_stage::value ? value_
             : what == reply_stage::end ? end_
                                        : value_and_end_,
             std::move(w), std::move(value.bytes));
}

template <remote_tasks::reply_stage what>
void remote_tasks::on_reply(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto is = content.get<reply_kind>();
  const failure_ref cause = is_failure(is) ? causes_->read(content, from) : failure_ref();
  const std::uint64_t along = is == reply_kind::value_with_more ? content.get<std::uint64_t>() : 0;
  task_times took;
  if (content.get<bool>()) took = get_measured(content);
  complete_call(what, id, cause, took, cause ? std::span<const std::byte>() : content.get_bytes(content.left()),
                context);
  data::acknowledge_message(from, along, context);
}

template <remote_tasks::reply_stage what>
void remote_tasks::on_refused_reply(rank from, reader& message_prefix, failure_ref cause,
                                    base::thread_context& context) {
  const auto id = message_prefix.get<std::uint64_t>();
  const bool has_more = message_prefix.get<reply_kind>() == reply_kind::value_with_more;
  complete_call(what, id, std::move(cause), sched::measured_elsewhere(), {}, context);
  if (has_more)
    data::acknowledge_message(from, message_prefix.get<std::uint64_t>(), context);  // nobody will read it: release it
}

void remote_tasks::complete_call(reply_stage what, std::uint64_t id, failure_ref cause, const task_times& took,
                                 std::span<const std::byte> value, base::thread_context& context) {
  remote_call a;
  {
    const std::scoped_lock lock(lock_);
    const auto found = pending_calls_.find(id);
    if (found == pending_calls_.end()) return;  // ended before, when its node was lost
    a = found->second;
    if (what == reply_stage::end && a.record) {  // the end has overtaken a large value
      found->second.is_over = true;
      found->second.end_cause = std::move(cause);
      return;
    }
    if (what == reply_stage::value && !a.is_over)
      found->second.record = nullptr, found->second.along.clear(), found->second.memory.end();
    else pending_calls_.erase(found);
  }
  if (a.record) {
    if (a.profile) {
      if (took) a.profile->ran_elsewhere(*took);
      a.profile->deliver(cause.get(), detail::describe_task(*a.record), context);
    }
    a.end_value(std::move(cause), value, context);
    cause = a.end_cause;
  }
  if (what != reply_stage::value || a.is_over) end_all(a, cause, context);
}

void remote_tasks::end_all(const remote_call& a, const failure_ref& cause, base::thread_context& context) {
  a.end_all(cause, context);
  calls_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

// A call and the task that runs it have the same name on all nodes.

namespace {

std::string name_of_call(rank from, std::uint64_t id) { return fmt::format("run {}:{}", from, id); }

}  // namespace

void remote_tasks::add_pending_calls(base::wait_walk& walk) {
  const std::scoped_lock lock(lock_);
  for (const auto& [id, a] : pending_calls_) {
    if (walk.is_full()) return;
    // Once its value has arrived, only its scope waits for what it has spawned.
    const std::uint32_t node = a.record ? walk.at(base::wait_kind::task, detail::bits_of_record(a.record))
                                        : walk.at(base::wait_kind::unknown, id);
    walk[node].everywhere = name_of_call(job_ ? job_->self() : rank{0}, id);
    if (!a.record) walk.link(walk.at(base::wait_kind::finish, reinterpret_cast<std::uintptr_t>(a.scope)), node);
  }
}

void remote_tasks::name_running_calls(base::wait_walk& walk) const {
  for (const auto& [bits, node] : walk.all(base::wait_kind::task)) {
    // The body of a task that start() has spawned begins with a pointer to a request that points back here; no other
    // does.
    const auto* const record = static_cast<const std::byte*>(detail::record_in(bits));
    const base::peeked<const request*> body(record + detail::storage_offset);
    if (walk[node].kind != base::wait_kind::task || !body) continue;
    if (const base::peeked<request> r(*body); r && r->all == this) walk[node].everywhere = name_of_call(r->from, r->id);
  }
}

void remote_tasks::lost(rank node, base::thread_context& context) noexcept {
  std::vector<remote_call> ends;
  std::vector<std::uint64_t> tokens;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [token, c] : pending_cancels_)
      if (c->of == node) tokens.push_back(token);
    std::erase_if(pending_calls_, [&](auto& entry) {
      if (entry.second.of != node) return false;
      ends.push_back(std::move(entry.second));
      return true;
    });
  }
  const failure_ref loss = job_->loss_of(node);
  for (const remote_call& a : ends) {
    if (a.record) {
      if (a.profile) {
        a.profile->mark_started(context);  // as far as is known
        a.profile->deliver(loss.get(), detail::describe_task(*a.record), context);
      }
      a.end_value(failure_ref::adopt(new failure(*loss.get(), detail::describe_task(*a.record), a.record->where)), {},
                  context);
    }
    // The tasks that it had spawned there are lost, too.
    end_all(a, a.record ? failure_ref() : loss, context);
  }
  for (const std::uint64_t token : tokens) complete_cancel(token, false, context);
}

}  // namespace stretto::dist
