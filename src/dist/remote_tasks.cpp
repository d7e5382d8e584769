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
#include "dist/where.hpp"
#include "event/event_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "event/when_ended.hpp"
#include "sched/cancellation.hpp"
#include "sched/task_execution.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::dist {

using sched::task_record;
using sched::thread_state;

namespace {

constexpr std::size_t longest_task_name = 255;
/// What a put takes here and there beside its message, about: records, events, what it names.
constexpr std::uint64_t bytes_of_put = 1024;

thread_state& state_of(base::thread_context& context) { return static_cast<thread_state&>(context); }

/// The function that lies there, if one does.
const detail::remote_function_type* function_at(std::uint64_t bits) {
  const auto* const f = static_cast<const detail::remote_function_type*>(
      decode_constant(bits, sizeof(detail::remote_function_type), alignof(detail::remote_function_type)));
  return f && f->mark == detail::remote_function_mark ? f : nullptr;
}

}  // namespace

/// What a node has been asked to run.
struct remote_tasks::request {
  remote_tasks* all;
  rank from;
  std::uint64_t id;
  const detail::remote_function_type* function = nullptr;  // null: nothing
  std::span<const std::byte> arguments = {};
  std::shared_ptr<const void> arguments_of = {};
  event behind = {};
  std::string name = {};
  std::source_location where = {};
  stretto::place at = {}, on = {};
  std::uint32_t worker = ~0u;
  int priority = 0;
  bool is_profiled = false;
  std::shared_ptr<const void> kept = {};  // what it uses
  mutable back_pressure::share memory = {};  // until it begins
  bool may_be_cancelled = true;
  mutable started as = {};

  std::string who() const { return name.empty() ? "task at " + short_location(where) : "task \"" + name + '"'; }
};

struct remote_tasks::asking {
  task_record& record;
  std::uint64_t id;
  rank to;
  event behind;
  stretto::place on;     // unless it has been found to be
  std::uint32_t worker;  // this one
};

remote_tasks::request remote_tasks::request_of(remote_tasks* all, const asking& a,
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

remote_tasks::remote_tasks(job* j, failures* causes, in_order* ordered) : job_(j), causes_(causes), ordered_(ordered) {
  if (!j) return;
  run_ = j->on<&remote_tasks::on_run>("tasks.run", this);
  value_ = j->on<&remote_tasks::on_answer<outcome::value>>("tasks.value", this);
  value_and_end_ = j->on<&remote_tasks::on_answer<outcome::value_and_end>>("tasks.value_and_end", this);
  end_ = j->on<&remote_tasks::on_answer<outcome::end>>("tasks.end", this);
  cancel_ = j->on<&remote_tasks::on_cancel>("tasks.cancel", this);
  cancelled_ = j->on<&remote_tasks::on_cancelled>("tasks.cancelled", this);
  j->on_refused<&remote_tasks::on_refused_run>(run_, this);
  j->on_refused<&remote_tasks::on_refused_answer<outcome::value>>(value_, this);
  j->on_refused<&remote_tasks::on_refused_answer<outcome::value_and_end>>(value_and_end_, this);
  place_ = ordered->on<&remote_tasks::on_place>(this);
  ordered->on_refused<&remote_tasks::on_refused_run>(place_, this);
  j->add(*this);
}

remote_tasks::asking remote_tasks::ask(const detail::remote_request& asked_for, std::vector<std::shared_ptr<const void>>&& along,
                                       std::size_t value_bytes, const detail::task_type& type, detail::value_reader read,
                                       const std::source_location& where) {
  base::require_current("async");
  const rank here = job_ ? job_->self() : rank{0};
  const std::uint32_t nodes = job_ ? job_->nodes() : 1;
  if (asked_for.node != ~0u && asked_for.node >= nodes)
    throw base::no_such_node(asked_for.node, nodes, where);
  const rank to = asked_for.node == ~0u ? here : static_cast<rank>(asked_for.node);
  if (to != here) job_->hold_back(where);
  auto& t = state_of(base::require_current("async"));

  std::vector<dependency> all(asked_for.after.begin(), asked_for.after.end());
  for (const event e : asked_for.after_events) all.emplace_back(e);
  const event behind = merge_dependencies(all, where);

  sched::checked_priority(asked_for.priority, where);
  stretto::place on = asked_for.on;
  std::uint32_t worker = asked_for.worker;
  if (to == here) {  // what is misnamed here is told now
    const auto there = t.owner->destination_of(asked_for.at, asked_for.on, asked_for.worker, where);
    if (on) on = {}, worker = there.bound - 1u;
  }
  detail::task_request mine;
  mine.name = asked_for.name;
  std::shared_ptr<sched::profile_state> profile;
  if (asked_for.profile) profile = std::make_shared<sched::profile_state>(where);
  auto& record = static_cast<task_record&>(*detail::make_task(value_bytes, type, where, mine).record);
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until it comes
  if (t.observer) t.observer->reused(&record);  // what it follows is not seen here
  const std::uint64_t id = ids_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::scoped_lock lock(lock_);
    asked_.emplace(id, asked{{&record, record.scope, read}, to, false, {}, std::move(along), profile});
  }
  if (profile) profile->promise_to(*asked_for.profile);
  under_way_.fetch_add(1, std::memory_order_acq_rel);
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

void put_request(writer& w, std::uint64_t id, const detail::remote_request& asked_for, const detail::remote_function_type* function,
                 event behind, const std::source_location& where, std::uint16_t node) {
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
                                 const detail::parcel& arguments, std::size_t value_bytes, const detail::task_type& type,
                                 detail::value_reader read, const std::source_location& where) {
  const asking a = ask(asked_for, std::vector(arguments.along), value_bytes, type, read, where);
  if (!job_ || a.to == job_->self()) {
    start(request_of(this, a, asked_for, &function, arguments, where));
    return a.record;
  }
  writer w;
  put_request(w, a.id, asked_for, &function, a.behind, where, job_->node());
  w.put_bytes(arguments.bytes);
  job_->send(a.to, run_, std::move(w));
  // Should the node be lost by now, its loss may have been dealt with before the record was there.
  if (job_->is_lost(a.to)) lost(a.to, base::require_current("async"));
  return a.record;
}

task_record& remote_tasks::place(const detail::remote_request& asked_for, const detail::parcel& first,
                                 const detail::remote_function_type* function, const detail::parcel& arguments, std::size_t value_bytes,
                                 const detail::task_type& type, detail::value_reader read, const std::source_location& where) {
  std::vector<std::shared_ptr<const void>> along = arguments.along;
  along.insert(along.end(), first.along.begin(), first.along.end());
  const asking a = ask(asked_for, std::move(along), value_bytes, type, read, where);
  base::thread_context& context = base::require_current("put");
  if (job_ && a.to != job_->self() && a.behind.has_triggered()) {
    const std::scoped_lock lock(lock_);
    if (const auto found = asked_.find(a.id); found != asked_.end())
      found->second.memory = {job_->pressure(), back_pressure::what::kept, first.bytes.size() + arguments.bytes.size() + bytes_of_put};
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
  // What waits for other events may wait for messages that are still to come.
  if (r.behind.has_triggered()) r.memory = {job_->pressure(), back_pressure::what::came, arguments.size()};
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

void remote_tasks::on_refused_run(rank from, reader& first_words, failure_ref cause, base::thread_context&) {
  const request r = read(from, first_words);
  refuse(from, r.id, failure_ref::adopt(new failure(*cause.get(), r.who(), r.where)));
}

void remote_tasks::require_function(const request& r) const {
  if (!r.function)
    throw error("N13", "node " + job_->name_of(job_->self()) + " does not know a function that it is to run")
        .fact("asked by", job_->name_of(r.from))
        .fact("called", r.where)
        .because("the library that holds the function is not loaded there, or is another one")
        .remedy("load the same libraries on every node before functions of theirs are called");
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
    data::shared_arrays::placed placed = data::enclosures_of(context)->shared->place(first, r.behind, r.where, context);
    r.behind = placed.done;
    r.kept = std::move(placed.kept);
    r.may_be_cancelled = false;  // what it brings is placed in any case
  } catch (...) {
    return answer(r.from, outcome::value_and_end, r.id, detail::make_failure(std::current_exception(), r.who(), r.where));
  }
  if (r.function) return start(std::move(r));
  const event behind = r.behind;
  detail::when_ended(behind, context, [this, r = std::move(r)](const failure* cause, base::thread_context&) {
    if (cause) cause->mark_observed();  // by who asked
    answer(r.from, outcome::value_and_end, r.id, cause ? failure_ref::adopt(new failure(*cause, r.who(), r.where)) : failure_ref());
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
  future<operation_profile> here;  // what is told of it is taken before its end
  if (r->is_profiled) how.profile = &here;
  // It runs in any case, to say so if it may not.
  const event begins = r->behind == event() ? event() : ignore_failure(r->behind, r->where);
  how.after_events = std::span(&begins, 1);
  // Its end counts here for the finish that surrounds the whole runtime alone: who asked counts it there.
  const sched::outside_of_finishes outside(state_of(base::require_current("async")));
  future<void> task = detail::spawn_as(how, [r] { run(*r); }, r->where);
  if (r->may_be_cancelled) list(r->as, r->from, r->id, std::move(task));
}

void remote_tasks::list(started& s, rank from, std::uint64_t id, future<void>&& task) noexcept {
  const std::scoped_lock lock(list_lock_);
  s.in = this;
  s.from = from;
  s.id = id;
  s.task = std::move(task);
  s.next = first_;
  if (first_) first_->before = &s;
  first_ = &s;
}

void remote_tasks::unlist(started& s) noexcept {
  const std::scoped_lock lock(list_lock_);
  (s.before ? s.before->next : first_) = s.next;
  if (s.next) s.next->before = s.before;
}

bool remote_tasks::withdraw(rank from, std::uint64_t id, const std::source_location& where,
                            base::thread_context& context) {
  future<void> task;
  {
    const std::scoped_lock lock(list_lock_);
    for (const started* s = first_; s && !task.valid(); s = s->next)
      if (s->from == from && s->id == id) task = s->task;
  }
  if (!task.valid()) return false;
  return sched::cancel_task(state_of(context), static_cast<task_record&>(*dependency(task).task()), where);
}

bool remote_tasks::cancel(const task_record& record, const std::source_location& where) {
  base::thread_context& context = base::require_current("cancel");
  const auto mine = std::make_shared<cancelling>();
  mine->where = where;
  std::uint64_t token = 0;
  {
    const std::scoped_lock lock(lock_);
    const auto found = std::ranges::find(asked_, &record, [](const auto& entry) { return entry.second.record; });
    if (found == asked_.end()) return false;
    mine->id = found->first;
    mine->of = found->second.of;
    if (job_ && mine->of != job_->self()) {
      mine->answered = user_event::create(where);
      cancels_.emplace(token = ids_.fetch_add(1, std::memory_order_relaxed), mine);
    }
  }
  if (!job_ || mine->of == job_->self()) {
    const bool is_withdrawn = withdraw(mine->of, mine->id, where, context);
    if (is_withdrawn) end_cancelled(mine->id, where, context);
    return is_withdrawn;
  }
  job_->send(mine->of, cancel_, writer(mine->id, token, encode(where, job_->node())));
  if (job_->is_lost(mine->of)) lost(mine->of, context);
  wait(mine->answered, where);
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
  end_cancelling(token, content.get<std::uint8_t>() != 0, context);
}

void remote_tasks::end_cancelling(std::uint64_t token, bool is_withdrawn, base::thread_context& context) {
  std::shared_ptr<cancelling> c;
  {
    const std::scoped_lock lock(lock_);
    const auto found = cancels_.find(token);
    if (found == cancels_.end()) return;  // its node was lost before
    c = std::move(found->second);
    cancels_.erase(found);
  }
  if (is_withdrawn) end_cancelled(c->id, c->where, context);
  c->is_withdrawn.store(is_withdrawn, std::memory_order_release);
  c->answered.trigger();
}

// As where it had been skipped; but whoever cancels it knows, so that no finish throws it.
void remote_tasks::end_cancelled(std::uint64_t id, const std::source_location& where, base::thread_context& context) {
  asked a;
  {
    const std::scoped_lock lock(lock_);
    const auto found = asked_.find(id);
    if (found == asked_.end()) return;
    a = std::move(found->second);
    asked_.erase(found);
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
  if (behind && r.kept) behind->mark_observed();  // by who asked
  if (behind)
    return at.answer(r.from, outcome::value_and_end, r.id, failure_ref::adopt(new failure(*behind.get(), r.who(), r.where)));
  bool is_over = false;
  try {
    finish([&] {
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
      const thread_state& now = state_of(base::require_current("async"));  // maybe another than where it began
      is_over =
          now.scope->is_quiet(now.owner->shard_count()) && now.scope->failures.is_empty();
      times took;
      if (r.is_profiled) took = sched::profile_of(*now.current).so_far(now);
      at.answer(r.from, is_over ? outcome::value_and_end : outcome::value, r.id, cause, took, std::move(value));
    }, r.where);
    if (!is_over) at.answer(r.from, outcome::end, r.id, {});
  } catch (...) {
    at.answer(r.from, outcome::end, r.id, detail::make_failure(std::current_exception(), "what " + r.who() + " had spawned", r.where));
  }
}

void remote_tasks::answer(rank to, outcome what, std::uint64_t id, const failure_ref& cause, const times& took,
                          detail::parcel&& value) {
  auto& context = base::require_current("async");
  if (!job_ || to == job_->self()) return take(what, id, cause, took, value.bytes, context);
  const std::uint64_t along = data::keep_for(to, std::move(value.along), context);
  writer w(id, cause ? reply::failure : along ? reply::value_with_more : reply::value);
  if (cause) causes_->write(w, *cause.get());
  else if (along) w.put(along);
  w.put(took.has_value());
  if (took) put(w, *took);
  job_->send(to, what == outcome::value ? value_ : what == outcome::end ? end_ : value_and_end_, std::move(w), std::move(value.bytes));
}

template <remote_tasks::outcome what>
void remote_tasks::on_answer(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto is = content.get<reply>();
  const failure_ref cause = is_failure(is) ? causes_->read(content, from) : failure_ref();
  const std::uint64_t along = is == reply::value_with_more ? content.get<std::uint64_t>() : 0;
  times took;
  if (content.get<bool>()) took = get_measured(content);
  take(what, id, cause, took, cause ? std::span<const std::byte>() : content.get_bytes(content.left()), context);
  data::have_read(from, along, context);
}

template <remote_tasks::outcome what>
void remote_tasks::on_refused_answer(rank from, reader& first_words, failure_ref cause, base::thread_context& context) {
  const auto id = first_words.get<std::uint64_t>();
  const bool has_more = first_words.get<reply>() == reply::value_with_more;
  take(what, id, std::move(cause), sched::measured_elsewhere(), {}, context);
  if (has_more) data::have_read(from, first_words.get<std::uint64_t>(), context);  // nobody will
}

void remote_tasks::take(outcome what, std::uint64_t id, failure_ref cause, const times& took,
                        std::span<const std::byte> value, base::thread_context& context) {
  asked a;
  {
    const std::scoped_lock lock(lock_);
    const auto found = asked_.find(id);
    if (found == asked_.end()) return;  // its node was lost before
    a = found->second;
    if (what == outcome::end && a.record) {  // a large value may be overtaken
      found->second.is_over = true;
      found->second.end_cause = std::move(cause);
      return;
    }
    if (what == outcome::value && !a.is_over) found->second.record = nullptr, found->second.along.clear(), found->second.memory.end();
    else asked_.erase(found);
  }
  if (a.record) {
    if (a.profile) {
      if (took) a.profile->ran_elsewhere(*took);
      a.profile->deliver(cause.get(), detail::describe_task(*a.record), context);
    }
    a.end_value(std::move(cause), value, context);
    cause = a.end_cause;
  }
  if (what != outcome::value || a.is_over) end_all(a, cause, context);
}

void remote_tasks::end_all(const asked& a, const failure_ref& cause, base::thread_context& context) {
  a.end_all(cause, context);
  under_way_.fetch_sub(1, std::memory_order_acq_rel);
}

// What is asked for and what runs of it have one name, on all nodes.

namespace {

std::string name_of_run(rank from, std::uint64_t id) { return fmt::format("run {}:{}", from, id); }

}  // namespace

void remote_tasks::tell_asked(base::wait_walk& walk) {
  const std::scoped_lock lock(lock_);
  for (const auto& [id, a] : asked_) {
    if (walk.is_full()) return;
    // Once its value has come, nothing but its scope waits for what it has spawned.
    const std::uint32_t node = a.record ? walk.at(base::wait_kind::task, detail::bits_of_record(a.record)) : walk.at(base::wait_kind::unknown, id);
    walk[node].everywhere = name_of_run(job_ ? job_->self() : rank{0}, id);
    if (!a.record) walk.link(walk.at(base::wait_kind::finish, reinterpret_cast<std::uintptr_t>(a.scope)), node);
  }
}

void remote_tasks::tell_asked_for(base::wait_walk& walk) const {
  for (const auto& [bits, node] : walk.all(base::wait_kind::task)) {
    // The body is what start() has spawned; whatever else lies there does not point to what points back here.
    const auto* const record = static_cast<const std::byte*>(detail::record_in(bits));
    const base::peeked<const request*> body(record + detail::storage_offset);
    if (walk[node].kind != base::wait_kind::task || !body) continue;
    if (const base::peeked<request> r(*body); r && r->all == this) walk[node].everywhere = name_of_run(r->from, r->id);
  }
}

void remote_tasks::lost(rank node, base::thread_context& context) noexcept {
  std::vector<asked> ends;
  std::vector<std::uint64_t> tokens;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [token, c] : cancels_)
      if (c->of == node) tokens.push_back(token);
    std::erase_if(asked_, [&](auto& entry) {
      if (entry.second.of != node) return false;
      ends.push_back(std::move(entry.second));
      return true;
    });
  }
  const failure_ref loss = job_->loss_of(node);
  for (const asked& a : ends) {
    if (a.record) {
      if (a.profile) {
        a.profile->mark_started(context);  // as far as is known
        a.profile->deliver(loss.get(), detail::describe_task(*a.record), context);
      }
      a.end_value(failure_ref::adopt(new failure(*loss.get(), detail::describe_task(*a.record), a.record->where)), {}, context);
    }
    // What it had spawned there is as lost.
    end_all(a, a.record ? failure_ref() : loss, context);
  }
  for (const std::uint64_t token : tokens) end_cancelling(token, false, context);
}

}  // namespace stretto::dist
