// task_issue.cpp - issues a task: starts its copies, its kernel or transfer, and handles its end.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>

#include <algorithm>

#include "data/data_state.hpp"
#include "data/device_launch.hpp"
#include "data/handle.hpp"
#include "data/host_launch.hpp"
#include "data/kernel_arguments.hpp"
#include "device/native_code.hpp"
#include "event/event_floor.hpp"
#include "objects/replica_memory.hpp"
#include "objects/storage.hpp"
#include "objects/task_lifecycle.hpp"
#include "sched/counted_task.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

namespace {

void refuse_missing_data(const planned& p, const task& t) {
  if (!p.plan.lost.is_empty() && p.object->lost_because) throw skipped{p.object->lost_because};
  const region& missing = p.plan.lost.is_empty() ? p.plan.unwritten : p.plan.lost;
  if (missing.is_empty()) return;
  throw error("A03", t.describe() + " reads elements of " + describe(*p.object) + " that nothing wrote")
      .fact("submitted", t.where)
      .fact("elements", missing.boxes().front().text())
      .fact("object", p.object->created)
      .because("the elements of a new object are not initialized")
      .remedy(
          "write them first, or initialize the object from an array; declare a parameter `out` if the kernel writes "
          "all elements");
}

/// A reduction into elements that were never written starts from the operator's identity.
void begin_reductions(planned& p) {
  if (p.plan.unwritten.is_empty()) return;
  for (std::size_t n = 0; n < p.needs.size(); ++n) {
    const data::replica_set::need& need = p.needs[n];
    if (need.how.is != data::usage::mode::reduce) continue;
    region begins = p.plan.unwritten & region(need.where);
    for (const data::replica_set::need& other : p.needs)
      if (other.how.needs_content() && other.how.is != data::usage::mode::reduce) begins -= other.where;
    for (const box& b : begins.boxes()) p.plan.fills.push_back({p.plan.use[n], b, need.how.reduction});
    p.plan.unwritten -= begins;
  }
}

ready_replica& ready_for(object_record& o, const box& where, data::usage how, data::memory_number in) {
  const auto first = static_cast<std::uint64_t>(where.min()[0]), second = static_cast<std::uint64_t>(where.min()[1]);
  const std::uint64_t h = (first * 0x9e3779b97f4a7c15u + second * 0xc2b2ae3d27d4eb4fu) >> 32;
  return o.ready[(h + in + 3 * static_cast<std::uint64_t>(how.is)) % o.ready.size()];
}

/// Fast path: the cached replicas of all uses are still valid. Sets the replica of each use.
bool is_all_valid(task& t, execution_place& at) {
  for (auto u = t.uses.begin(); u != t.uses.end(); ++u) {
    object_record* const o = u->object.get();
    const data::memory_number in = t.memory_of(*o, at).view.index;
    const ready_replica& r = ready_for(*o, u->where, u->how, in);
    if (r.at != o->replicas.changes() || r.in != in || r.how != u->how || r.where != u->where) return false;
    // Two uses of one object are planned together.
    if (std::any_of(t.uses.begin(), u, [&](const object_use& other) { return other.object.get() == o; })) return false;
    u->replica = r.use;
  }
  return true;
}

/// Plans the needs of one object.
void plan(planned& p) {
  object_record& o = *p.object;
  const data::memory_number in = p.in->view.index;
  o.replicas.acquire(in, p.needs, p.plan);
  if (p.needs.size() > 1 || !p.plan.is_idle()) return;
  const data::replica_set::need& n = p.needs.front();
  ready_for(o, n.where, n.how, in) = {in, n.how, n.where, p.plan.use.front(), o.replicas.changes()};
}

/// Plans the needs of all objects. Throws A03 or skipped for missing data.
std::span<planned> plan(const task& t, execution_place& at) {
  std::vector<planned>& all = t.state.plans;
  std::size_t n = 0;
  for (std::size_t i = 0; i < t.uses.size(); ++i) {
    object_record* const o = t.uses[i].object.get();
    std::size_t k = 0;
    while (k < n && all[k].object != o) ++k;
    if (k == n) {
      if (++n > all.size()) all.emplace_back();
      all[k].object = o;
      all[k].in = &t.memory_of(*o, at);
      all[k].needs.clear(), all[k].uses.clear();
    }
    // shared memory holds an object in one piece
    const bool is_whole = all[k].in == o->shared_memory && !t.uses[i].where.is_empty();
    all[k].needs.push_back({t.uses[i].where, t.uses[i].how, is_whole ? o->elements : box()});
    all[k].uses.push_back(i);
  }
  const std::span<planned> plans(all.data(), n);
  for (planned& p : plans) {
    plan(p);
    begin_reductions(p);
    refuse_missing_data(p, t);
  }
  return plans;
}

/// Without the mutex, in the worker's task that has run the kernel; the end of that task counts for the launch.
void end_on_host(task& t, failure_ref cause, base::thread_context& context) noexcept {
  if (!cause) detail::end_event(t.computed, {}, context, t.where);  // successors start first
  if (!cause && !t.state.must_handle_ends.load(std::memory_order_relaxed)) {
    t.scope = nullptr;
    return post_lazily(t.notification, context);
  }
  // The finish of the launch must not end before the holder of the mutex has handled the signal.
  sched::count_spawned(static_cast<sched::thread_state&>(context));
  post_signal(t.notification, std::move(cause), context);
}

// One of so many launches on the host is timed.
constexpr std::uint64_t timed_one_of = 8;

/// Whether the submitting thread runs the kernel, because handing it over would take longer.
bool runs_inline(const task& t, const base::thread_context& context) {
  const objects_state& s = t.state;
  return s.holder.load(std::memory_order_relaxed) == &context && s.inline_task && !*s.inline_task && t.urgency == 0 &&
         s.short_launches.is_short(*t.code, t.items()) && data::is_one_piece(*t.code, *t.range);
}

void compute(task& t) noexcept {
  failure_ref cause;
  try {
    const bool is_timed = t.state.has_choice() || t.submitted % timed_one_of == 0;
    if (is_timed) t.began = t.state.now();
    const auto check = t.state.check ? device::index_checks::on : device::index_checks::off;
    if (data::is_one_piece(*t.code, *t.range)) {
      data::run_piece(*t.code, *t.range, t.piece(), check);
    } else {
      const auto given = t.arguments();
      data::run_on_host(*t.code, *t.range, {*t.code, {given.data(), given.size()}}, check);
    }
    if (is_timed) t.ended = t.state.now();
    if (is_timed && t.state.issues_at_once()) t.state.short_launches.took(*t.code, t.items(), t.ended - t.began);
  } catch (...) {
    cause = t.current_failure();
  }
  end_on_host(t, std::move(cause), base::require_current("launch"));
}

/// Copies directly between a replica and memory of the program.
event copy_program_memory(const task& t, detail::instance_handle there, std::span<const event> waits) {
  const object_use& use = t.uses.front();
  const detail::instance_handle external = external_instance(*use.object.get(), use.where, t.program_memory, t.where);
  const bool comes_in = use.how.changes_content();
  const event done = detail::copy_boxes(comes_in ? there : external, comes_in ? external : there, {&use.where, 1}, {},
                                        after_range{waits}, t.where);
  detail::destroy_instance(external, after(done), t.where);
  return done;
}

/// Starts the task after `waits`, with whose failures it fails, and after the ends of `order`.
void hand_over(task& t, std::vector<event>& waits, std::span<const event> order, base::thread_context& context) {
  execution_place& at = *t.on;
  if (t.program_memory || t.transfer) also_wait_for(waits, order, t.where);
  if (t.program_memory) {
    const object_use& u = t.uses.front();
    t.computed = u.replica == data::no_replica ? event() : copy_program_memory(t, u.instance, waits);
    return;
  }
  if (t.transfer) {
    t.computed = start_transfer(t, waits, context);
    return;
  }
  if (!t.code) {
    t.computed = detail::make_event(context, t.where);  // triggered when the view is released
    return;
  }
  if (at.device) {
    detail::task_request request;
    request.after_events = waits;
    request.name = t.name();
    const auto given = t.arguments();
    t.computed = data::launch_on(*at.device, *t.code, *t.range, {given.data(), given.size()}, request, context, order);
  } else {
    t.computed = t.done;
  }
}

}  // namespace

void preconditions_ended(data::deferred& self, failure_ref cause, base::thread_context& context) noexcept {
  task& t = static_cast<task&>(self);
  if (!t.code) return post_signal(t.notification, std::move(cause), context);
  try {
    if (cause) return post_signal(t.notification, t.skipped_because_of(*cause.get()), context);
    auto& thread = static_cast<sched::thread_state&>(context);
    const sched::counted_task about{t.scope, t.where, t.urgency, t.code->name.data(), t.given_name};
    sched::task_record& r = sched::make_counted(thread, about, [task = &t] { compute(*task); });
    if (runs_inline(t, context)) *t.state.inline_task = &r;
    else sched::start_counted(thread, r);
  } catch (...) {
    post_signal(t.notification, t.current_failure(), context);
  }
}

namespace {

/// Copies all missing data to the place. Returns false if memory is missing now.
bool copy_in_arguments(task& t, execution_place& at, base::thread_context& context) {
  std::span<planned> all = plan(t, at);
  std::vector<detail::instance_handle>& storage = t.state.made;
  while (execution_place* const full = try_allocate(all, storage)) {
    if (!free_memory_for(*full, all, t, context)) return false;
    all = plan(t, at);
  }
  auto next = storage.begin();
  for (planned& p : all) {
    for (const auto& a : p.plan.allocate) add(*p.object, a, *next++);
    carry_out(*p.object, p.plan, context);
    for (const data::replica_id r : p.plan.retire) drop(*p.object, r, context);
    for (std::size_t n = 0; n < p.uses.size(); ++n) t.uses[p.uses[n]].replica = p.plan.use[n];
  }
  return true;
}

}  // namespace

bool issue(task& t, execution_place& at, base::thread_context& context) {
  if (t.code && at.device) {  // before any data is moved there
    const auto kernel = at.device->is().compile(*t.code);
    const device::launch_range range = data::to_range(*t.range);
    device::check_groups(at.device->is(), *kernel, range, t.local_bytes);
    t.is_first = at.device->is().about().compiles_at_first_launch && kernel->is_new(range);
  }
  if (t.code && !at.device && !t.code->run) throw device::without_code(*t.code, "the host").fact("submitted", t.where);
  if (!is_all_valid(t, at) && !copy_in_arguments(t, at, context)) return false;
  data::replica_set::wait_list& tokens = t.state.tokens;
  tokens.clear();
  for (object_use& u : t.uses) {
    if (u.replica == data::no_replica) continue;
    object_record& o = *u.object.get();
    u.instance = o.storage[u.replica].instance;
    o.replicas.waits_of(u.replica, u.where, o.usage_at(at, u.how), tokens);
  }
  std::vector<event>&waits = t.state.waits, &order = t.state.order;
  events_of(tokens.content, waits);
  events_of(tokens.order, order);
  if (!t.explicit_predecessors.empty())
    waits.insert(waits.end(), t.explicit_predecessors.begin(), t.explicit_predecessors.end());
  t.on = &at;
  if (at.device) t.began = t.state.now();
  try {
    hand_over(t, waits, order, context);
  } catch (...) {
    for (object_use& u : t.uses) u.instance = {};  // the task does not use them
    throw;
  }
  for (const object_use& u : t.uses) {
    if (u.replica == data::no_replica) continue;
    object_record& o = *u.object.get();
    o.replicas.used(u.replica, u.where, o.usage_at(at, u.how), t.computed.raw());
    stored& s = o.storage[u.replica];
    ++s.in_use;
    s.last_use = ++t.state.uses;
  }
  if (is_requested(t)) return true;  // its end is subscribed to already
  t.notification.handle = on_task_ended;
  if (!t.blocks_successors()) release_successors(t, context);
  const bool ends_by_itself = t.program_memory || (at.device && t.code) ||
                              (t.transfer && t.transfer->is != object_transfer::kind::export_elements);
  if (ends_by_itself) post_when_ended(t.computed, t.notification, context);
  else t.arm(waits, context, order);
  return true;
}

namespace {

/// Marks the data that the task was to write as lost.
void mark_data_failed(const task& t, const event& written, const failure_ref& cause) {
  for (const object_use& u : t.uses)
    if (u.instance.record) mark_data_failed(*u.object.get(), written.raw(), cause);
}

void on_elements_ready(task& t, failure_ref cause, base::thread_context& context) {
  if (cause) {
    const event until = t.computed;
    const std::source_location where = t.where;
    t.promised->poison(cause->as_exception());
    t.promised.reset();
    mark_data_failed(t, until, cause);
    release_successors(t, context);
    finish(t, cause, context);
    return detail::end_event(until, std::move(cause), context, where);
  }
  const object_use& use = t.uses.front();
  object_record& o = *use.object.get();
  t.notification.handle = on_view_released;
  const bool is_checked = o.state->check && use.how.needs_content();
  t.promised->set(detail::object_accessor_pointer(new detail::object_accessor_state{
      o.state, &t, use.instance, o.dimensions, o.element_bytes, use.where, is_checked}));
  t.promised.reset();
}

/// Records the time of a kernel: schedulers learn from it, and the launching task may count it.
void record_time(task& t, execution_place& at) {
  const bool teaches = t.state.has_choice();
  if (!teaches && !(t.counted_for && at.device)) return;
  if (at.device) {
    t.ended = t.state.now();
    t.began = std::max(t.began, at.last_end);
    at.last_end = t.ended;
  }
  const double seconds = t.state.ns_per_tick * static_cast<double>(t.ended - t.began) * 1e-9;
  if (t.is_first) {
    if (teaches) at.first_launches.push_back({t.state.speed_number(*t.code, at.view.index), t.items(), seconds});
    return;
  }
  if (t.counted_for && at.device)
    t.counted_for->fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  if (!teaches) return;
  at.busy_seconds += seconds;
  const std::uint32_t number = t.state.speed_number(*t.code, at.view.index);
  if (at.device) t.state.measured.record_at_most(number, t.items(), seconds);
  else t.state.measured.record(number, t.items(), seconds);
}

}  // namespace

void on_task_ended(signal& self, failure_ref cause, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  if (t.is_for_host()) return on_elements_ready(t, std::move(cause), context);
  if (cause) mark_lost_devices(t.state, cause);
  if (t.transfer) return on_transfer_ended(t, std::move(cause), context);
  execution_place& at = *t.on;
  if (cause) {
    mark_data_failed(t, t.computed, cause);
    // The data is marked as lost before the event ends: a program that sees the end may write there at once without
    // being skipped.
    if (t.code && !at.device) detail::end_event(t.computed, cause, context, t.where);
  } else if (t.code) {
    record_time(t, at);
  }
  at.computed += t.code && !cause;
  finish(t, std::move(cause), context);
}

void on_view_released(signal& self, failure_ref, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  const event until = t.computed;
  const std::source_location where = t.where;
  release_successors(t, context);
  finish(t, {}, context);
  detail::end_event(until, {}, context, where);
}

void finish(task& t, failure_ref cause, base::thread_context& context) {
  objects_state& s = t.state;
  for (const object_use& u : t.uses) {
    if (!u.instance.record) continue;
    // else it was superseded
    if (stored& now = u.object.get()->storage[u.replica]; now.instance == u.instance) --now.in_use;
  }
  s.tasks[t.number] = s.tasks.back();
  s.tasks[t.number]->number = t.number;
  s.tasks.pop_back();
  if (t.accounted_place) {
    --t.accounted_place->view.issued;
    t.accounted_place->issued_seconds =
        t.accounted_place->view.issued ? t.accounted_place->issued_seconds - t.expected_seconds : 0;
    if (t.is_popped) s.scheduler->finished(t, t.accounted_place->view);
  }
  if (is_requested(t)) t.transfer->as->is = nullptr;
  const task_pointer whole(&t);
  if (!t.scope) return;  // not counted, or counted by the task that ended it
  if (cause) t.scope->failures.add(cause);
  if (t.computed != t.done) detail::end_event(t.done, std::move(cause), context, t.where);
  sched::count_ended(static_cast<sched::thread_state&>(context), t.scope);
}

}  // namespace stretto::objects
