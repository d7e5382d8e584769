// issuing.cpp - from a task that may be issued to operations under way, and back.
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
#include "objects/room.hpp"
#include "objects/running.hpp"
#include "objects/storage.hpp"
#include "sched/counted_task.hpp"
#include "sched/scopes.hpp"

namespace stretto::objects {

namespace {

void refuse_without_content(const planned& p, const task& t) {
  if (!p.plan.lost.is_empty() && p.object->lost_because) throw skipped{p.object->lost_because};
  const region& missing = p.plan.lost.is_empty() ? p.plan.unwritten : p.plan.lost;
  if (missing.is_empty()) return;
  throw error("A03", t.describe() + " reads elements of " + describe(*p.object) + " that nothing wrote")
      .fact("submitted", t.where)
      .fact("elements", missing.boxes().front().text())
      .fact("object", p.object->created)
      .because("an object begins without content")
      .remedy("write them first, or give the object its first content; a kernel that writes all of them takes them as `out`");
}

/// Contributions to what nothing wrote begin with the operator's identity.
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

/// Nothing is missing, as the last time; then each use has its replica.
bool is_all_there(task& t, site& at) {
  for (auto u = t.uses.begin(); u != t.uses.end(); ++u) {
    object_record* const o = u->object.get();
    const data::memory_number in = t.memory_of(*o, at).view.index;
    const ready_replica& r = ready_for(*o, u->where, u->how, in);
    if (r.at != o->replicas.changes() || r.in != in || r.how != u->how || r.where != u->where) return false;
    // What one object needs at two places is planned at once.
    if (std::any_of(t.uses.begin(), u, [&](const object_use& other) { return other.object.get() == o; })) return false;
    u->replica = r.use;
  }
  return true;
}

/// What the object needs.
void plan(planned& p) {
  object_record& o = *p.object;
  const data::memory_number in = p.in->view.index;
  o.replicas.acquire(in, p.needs, p.plan);
  if (p.needs.size() > 1 || !p.plan.is_idle()) return;
  const data::replica_set::need& n = p.needs.front();
  ready_for(o, n.where, n.how, in) = {in, n.how, n.where, p.plan.use.front(), o.replicas.changes()};
}

/// What each object needs; throws what is missing.
std::span<planned> plan(const task& t, site& at) {
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
    const bool is_whole = all[k].in == o->home && !t.uses[i].where.is_empty();  // where it lives it is in one piece
    all[k].needs.push_back({t.uses[i].where, t.uses[i].how, is_whole ? o->elements : box()});
    all[k].uses.push_back(i);
  }
  const std::span<planned> plans(all.data(), n);
  for (planned& p : plans) {
    plan(p);
    begin_reductions(p);
    refuse_without_content(p, t);
  }
  return plans;
}

/// Not behind the mutex, on the task that has computed it, whose end counts for the launch.
void end_on_host(task& t, failure_ref cause, base::thread_context& context) noexcept {
  if (!cause) detail::end_event(t.computed, {}, context, t.where);  // what is behind it starts first
  if (!cause && !t.state.ends_matter.load(std::memory_order_relaxed)) {
    t.scope = nullptr;
    return leave_if_nobody_waits(t.news, context);
  }
  // Its finish is not over before whoever is inside has dealt with it.
  sched::count_spawned(static_cast<sched::thread_state&>(context));
  arrive(t.news, std::move(cause), context);
}

// Of so many launches on the host one is timed.
constexpr std::uint64_t timed_one_of = 8;

/// Handing it over would take longer than the kernel.
bool is_run_by_who_submits(const task& t, const base::thread_context& context) {
  const objects_state& s = t.state;
  return s.holder.load(std::memory_order_relaxed) == &context && s.runs_itself && !*s.runs_itself && t.urgency == 0 &&
         s.short_ones.is_short(*t.code, t.items()) && data::is_one_piece(*t.code, *t.range);
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
    if (is_timed && t.state.issues_at_once()) t.state.short_ones.took(*t.code, t.items(), t.ended - t.began);
  } catch (...) {
    cause = t.current_failure();
  }
  end_on_host(t, std::move(cause), base::require_current("launch"));
}

/// Between a replica and memory of the program's, without anything between them.
event copy_outside(const task& t, detail::instance_handle there, std::span<const event> waits) {
  const object_use& use = t.uses.front();
  const detail::instance_handle beside = outside(*use.object.get(), use.where, t.outside, t.where);
  const bool comes_in = use.how.changes_content();
  const event done = detail::copy_boxes(comes_in ? there : beside, comes_in ? beside : there, {&use.where, 1}, {},
                                        after_range{waits}, t.where);
  detail::destroy_instance(beside, after(done), t.where);
  return done;
}

/// Behind `waits`, with whose failure it fails, and the ends of `order`.
void hand_over(task& t, std::vector<event>& waits, std::span<const event> order, base::thread_context& context) {
  site& at = *t.on;
  if (t.outside || t.goes) also_wait_for(waits, order, t.where);
  if (t.outside) {
    const object_use& u = t.uses.front();
    t.computed = u.replica == data::no_replica ? event() : copy_outside(t, u.instance, waits);
    return;
  }
  if (t.goes) {
    t.computed = begin_errand(t, waits, context);
    return;
  }
  if (!t.code) {
    t.computed = detail::make_event(context, t.where);  // ended by the host
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
  if (!t.code) return arrive(t.news, std::move(cause), context);
  try {
    if (cause) return arrive(t.news, t.skipped_because_of(*cause.get()), context);
    auto& thread = static_cast<sched::thread_state&>(context);
    const sched::counted_task about{t.scope, t.where, t.urgency, t.code->name.data(), t.given_name};
    sched::task_record& r = sched::make_counted(thread, about, [task = &t] { compute(*task); });
    if (is_run_by_who_submits(t, context)) *t.state.runs_itself = &r;
    else sched::start_counted(thread, r);
  } catch (...) {
    arrive(t.news, t.current_failure(), context);
  }
}

namespace {

/// Brings everything there that is missing. False: there is no room now.
bool bring(task& t, site& at, base::thread_context& context) {
  std::span<planned> all = plan(t, at);
  std::vector<detail::instance_handle>& storage = t.state.made;
  while (site* const full = try_allocate(all, storage)) {
    if (!make_room(*full, all, t, context)) return false;
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

bool issue(task& t, site& at, base::thread_context& context) {
  if (t.code && at.device) {  // before anything is moved there
    const auto kernel = at.device->is().compile(*t.code);
    const device::launch_range range = data::to_range(*t.range);
    device::check_groups(at.device->is(), *kernel, range, t.local_bytes);
    t.is_first = at.device->is().about().compiles_at_first_launch && kernel->is_new(range);
  }
  if (t.code && !at.device && !t.code->run) throw device::without_code(*t.code, "the host").fact("submitted", t.where);
  if (!is_all_there(t, at) && !bring(t, at, context)) return false;
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
  if (!t.also_behind.empty()) waits.insert(waits.end(), t.also_behind.begin(), t.also_behind.end());
  t.on = &at;
  if (at.device) t.began = t.state.now();
  try {
    hand_over(t, waits, order, context);
  } catch (...) {
    for (object_use& u : t.uses) u.instance = {};  // it does not use them
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
  if (is_asked_for(t)) return true;  // its end is waited for already
  t.news.handle = task_ended;
  if (!t.holds_back()) let_follow(t, context);
  const bool ends_by_itself = t.outside || (at.device && t.code) || (t.goes && t.goes->is != errand::kind::lend);
  if (ends_by_itself) when_ended(t.computed, t.news, context);
  else t.arm(waits, context, order);
  return true;
}

namespace {

/// What it was to write is lost.
void content_failed(const task& t, const event& written, const failure_ref& cause) {
  for (const object_use& u : t.uses)
    if (u.instance.record) content_failed(*u.object.get(), written.raw(), cause);
}

void elements_are_there(task& t, failure_ref cause, base::thread_context& context) {
  if (cause) {
    const event until = t.computed;
    const std::source_location where = t.where;
    t.promised->poison(cause->as_exception());
    t.promised.reset();
    content_failed(t, until, cause);
    let_follow(t, context);
    finish(t, cause, context);
    return detail::end_event(until, std::move(cause), context, where);
  }
  const object_use& use = t.uses.front();
  object_record& o = *use.object.get();
  t.news.handle = given_back;
  const bool is_checked = o.state->check && use.how.needs_content();
  t.promised->set(detail::held_pointer(
      new detail::held_elements{o.state, &t, use.instance, o.dimensions, o.element_bytes, use.where, is_checked}));
  t.promised.reset();
}

/// Of a kernel that has been computed there: schedulers learn from it, and who launched it may count it.
void note_time(task& t, site& at) {
  const bool teaches = t.state.has_choice();
  if (!teaches && !(t.counted_for && at.device)) return;
  if (at.device) {
    t.ended = t.state.now();
    t.began = std::max(t.began, at.last_end);
    at.last_end = t.ended;
  }
  const double seconds = t.state.ns_per_tick * static_cast<double>(t.ended - t.began) * 1e-9;
  if (t.is_first) {
    if (teaches) at.first_ones.push_back({t.state.speed_number(*t.code, at.view.index), t.items(), seconds});
    return;
  }
  if (t.counted_for && at.device) t.counted_for->fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  if (!teaches) return;
  at.busy_seconds += seconds;
  const std::uint32_t number = t.state.speed_number(*t.code, at.view.index);
  if (at.device) t.state.measured.record_at_most(number, t.items(), seconds);
  else t.state.measured.record(number, t.items(), seconds);
}

}  // namespace

void task_ended(signal& self, failure_ref cause, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  if (t.is_for_host()) return elements_are_there(t, std::move(cause), context);
  if (cause) note_losses(t.state, cause);
  if (t.goes) return errand_ended(t, std::move(cause), context);
  site& at = *t.on;
  if (cause) {
    content_failed(t, t.computed, cause);
    // Now that nobody takes what it spoiled for written: who hears of it may write there at once, and is not skipped.
    if (t.code && !at.device) detail::end_event(t.computed, cause, context, t.where);
  } else if (t.code) {
    note_time(t, at);
  }
  at.computed += t.code && !cause;
  finish(t, std::move(cause), context);
}

void given_back(signal& self, failure_ref, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  const event until = t.computed;
  const std::source_location where = t.where;
  let_follow(t, context);
  finish(t, {}, context);
  detail::end_event(until, {}, context, where);
}

void finish(task& t, failure_ref cause, base::thread_context& context) {
  objects_state& s = t.state;
  for (const object_use& u : t.uses) {
    if (!u.instance.record) continue;
    if (stored& now = u.object.get()->storage[u.replica]; now.instance == u.instance) --now.in_use;  // else it was superseded
  }
  s.tasks[t.number] = s.tasks.back();
  s.tasks[t.number]->number = t.number;
  s.tasks.pop_back();
  if (t.counted_at) {
    --t.counted_at->view.issued;
    t.counted_at->issued_seconds = t.counted_at->view.issued ? t.counted_at->issued_seconds - t.expected_seconds : 0;
    if (t.is_popped) s.scheduler->finished(t, t.counted_at->view);
  }
  if (is_asked_for(t)) t.goes->as->is = nullptr;
  const task_pointer whole(&t);
  if (!t.scope) return;  // it was not counted, or whoever ended it has done that
  if (cause) t.scope->failures.add(cause);
  if (t.computed != t.done) detail::end_event(t.done, std::move(cause), context, t.where);
  sched::count_ended(static_cast<sched::thread_state&>(context), t.scope);
}

}  // namespace stretto::objects
