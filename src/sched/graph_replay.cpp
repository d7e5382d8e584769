// Replays a recorded graph: notifies the successors of an operation that has ended, and starts those that are ready.
//
// Each part counts its missing predecessors. When the last one has ended, the part starts: it is put into a queue or,
// if it needs no task, runs here and ends at once. One call may thus carry a replay far, or through its end into the
// next replay. It does so in a loop (advance), never by recursion.
#include <stretto/error.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/count_down.hpp"
#include "event/event_floor.hpp"
#include "sched/graph_record.hpp"
#include "sched/ready_queues.hpp"
#include "sched/scope_counting.hpp"

namespace stretto {

using detail::graph_core;

namespace sched {
namespace {

/// The work of a replay that one thread has yet to do.
struct progress {
  thread_state& thread;
  replay_part* ended = nullptr;  // linked by link.next; their successors are not yet notified
  replay_state* beginning = nullptr;

  void add(replay_part& part) noexcept {
    part.link.next = ended ? &ended->link : nullptr;
    ended = &part;
  }
};

void advance(progress& p) noexcept;

void run_body(void* storage) {
  auto& part = static_cast<replay_part&>(
      *reinterpret_cast<task_record*>(static_cast<std::byte*>(storage) - detail::storage_offset));
  const detail::recorded_body& b = part.operation->body;
  try {
    part.returned = b.run(b.body.get(), part.owner->arguments);
  } catch (...) {
    part.cause = detail::make_failure(std::current_exception(), part.operation->describe(), part.where);
  }
}

void task_ended(completion& record) noexcept;
std::string describe_part(const completion& c) {
  return static_cast<const replay_part&>(static_cast<const task_record&>(c)).operation->describe();
}
constexpr detail::task_type part_type{{task_ended, describe_part}, run_body, nullptr, nullptr};

/// The part failed by itself: reports the failure to its scope, as for any task.
void fail(progress& p, replay_part& part, failure_ref cause) noexcept {
  replay_state& r = *part.owner;
  r.scope->failures.add(cause);
  part.cause = std::move(cause);
  r.has_failed.store(true, std::memory_order_relaxed);
}

failure_ref because_of(const failure_ref& cause, const replay_part& part) {
  return failure_ref::adopt(
      new failure(*cause.get(), "the end of " + part.operation->describe(), part.operation->where));
}

void fire_returned(waiter& link, const failure* cause, base::thread_context& context) noexcept {
  replay_part& part = replay_part::of(link);
  progress p{static_cast<thread_state&>(context)};
  if (cause) fail(p, part, because_of(failure_ref::share(cause), part));
  p.add(part);
  advance(p);
}

/// Ends the operation when `e` ends.
void end_with(progress& p, replay_part& part, event e) noexcept {
  if (e != event()) {
    try {
      part.link.fire = fire_returned;
      if (detail::subscribe(e, part.link, p.thread)) return;
      if (failure_ref cause = detail::cause_of(e, p.thread)) fail(p, part, because_of(cause, part));
    } catch (...) {
      fail(p, part, detail::make_failure(std::current_exception(), part.operation->describe(), part.where));
    }
  }
  p.add(part);
}

/// Called by run_task when the record's only reference is gone.
void task_ended(completion& record) noexcept {
  replay_part& part = replay_part::of(record);
  ::new (static_cast<completion*>(&part)) completion(part_type, 1);  // for the next replay
  progress p{*this_thread()};
  if (part.cause) [[unlikely]] {
    fail(p, part, std::move(part.cause));
    p.add(part);
  } else {
    end_with(p, part, std::exchange(part.returned, event()));
  }
  advance(p);
}

/// Why the part must not run: the first failure among its predecessors, in the order in which they were given.
failure_ref cause_before(const replay_part& part) noexcept {
  const replay_state& r = *part.owner;
  if (r.not_begun) return r.not_begun;
  for (const std::uint32_t i : r.core->plan.predecessors.of(static_cast<std::size_t>(&part - r.parts)))
    if (r.parts[i].cause) return r.parts[i].cause;
  return {};
}

void end_bound_event(progress& p, replay_part& part) noexcept {
  const event bound = part.owner->bound[part.operation->port];
  if (bound == event()) return;
  try {
    detail::end_event(bound, part.cause, p.thread, part.where);
  } catch (...) {
    if (!part.cause)
      fail(p, part, detail::make_failure(std::current_exception(), part.operation->describe(), part.where));
  }
}

void skip(progress& p, replay_part& part, const failure_ref& because) noexcept {
  part.cause = failure_ref::adopt(new failure(*because.get(), part.operation->describe(), part.where));
  if (part.operation->kind == part_kind::task) count_ended(p.thread, part.owner->scope);
  if (part.operation->kind == part_kind::postcondition) end_bound_event(p, part);
  p.add(part);
}

/// Starts the launches of a step.
event run_row(const replay_part& part) {
  replay_state& r = *part.owner;
  graph_core& g = *r.core;
  const auto step = static_cast<std::size_t>(&part - r.parts);
  const std::size_t first = g.steps.operations.first[step], count = g.steps.operations.of(step).size();
  const event end = part.operation->body.run_row({g.bodies.data() + first, count}, r.behind);
  if (g.is_of_one_device && g.overlap == replays::in_turn) {
    std::scoped_lock lock(g.mutex);
    r.device_end = end;
  }
  return end;
}

/// Runs the operation and returns the event that it ends with. Returned directly: a variable assigned in a try block
/// loses its first value under GCC 12 with the thread sanitizer.
event run_here(progress& p, replay_part& part) noexcept {
  const graph_operation& o = *part.operation;
  try {
    return o.body.device ? run_row(part) : o.body.run(o.body.body.get(), part.owner->arguments);
  } catch (...) {
    fail(p, part, detail::make_failure(std::current_exception(), o.describe(), o.where));
    return {};
  }
}

/// Starts a part whose predecessors have all ended.
void start(progress& p, replay_part& part) noexcept {
  replay_state& r = *part.owner;
  if (r.has_failed.load(std::memory_order_relaxed)) [[unlikely]]
    if (const failure_ref because = cause_before(part)) return skip(p, part, because);
  const graph_operation& o = *part.operation;
  switch (o.kind) {
    case part_kind::task: part.scope = r.scope; return make_ready(p.thread, part);
    case part_kind::precondition: return end_with(p, part, r.bound[o.port]);
    case part_kind::postcondition: end_bound_event(p, part); return p.add(part);
    case part_kind::at_once: return end_with(p, part, run_here(p, part));
  }
}

/// Removes the failures from the parts; returns the failure of the replay, which names the first of them.
failure_ref collect_failures(progress& p, replay_state& r) noexcept {
  failure_ref first = std::move(r.not_begun);
  const bool none_ran = static_cast<bool>(first);
  for (std::uint32_t i = 0; i < r.part_count; ++i) {
    if (!first) first = r.parts[i].cause;
    r.parts[i].cause = {};
  }
  auto mine = failure_ref::adopt(new failure(*first.get(), "the end of " + r.core->describe(), r.where));
  if (none_ran) r.scope->failures.add(mine);
  r.has_failed.store(false, std::memory_order_relaxed);
  return mine;
}

void end_replay(progress& p, replay_state& r) noexcept {
  graph_core& g = *r.core;
  failure_ref cause;
  if (r.has_failed.load(std::memory_order_relaxed)) [[unlikely]]
    cause = collect_failures(p, r);
  if (g.arguments.drop) g.arguments.drop(r.arguments);
  const std::unique_ptr<profile_state> profile = std::move(r.profile);
  r.sinks_left.store(g.plan.sinks, std::memory_order_relaxed);
  const event done = r.done;
  const std::source_location where = r.where;
  finish_scope* const scope = r.scope;
  replay_state* next = nullptr;
  {
    // Free the state before the end is visible, so that a following replay can reuse it.
    std::scoped_lock lock(g.mutex);
    --g.under_way;
    if (g.overlap == replays::in_turn) {
      next = r.next;
      if (g.last == &r) g.last = nullptr;
    }
    r.next = g.free;
    g.free = &r;
  }
  if (next && base::count_down(next->holds)) p.beginning = next;
  if (profile) profile->deliver(cause.get(), "replay of " + g.describe(), p.thread);
  detail::end_event(done, std::move(cause), p.thread, where);
  count_ended(p.thread, scope);
  g.release();
}

/// Afterwards the part, its replay and the graph may be gone.
void notify_successors(progress& p, replay_part& part) noexcept {
  replay_state& r = *part.owner;
  const std::span<const std::uint32_t> successors = part.successors;
  if (successors.empty()) {
    if (r.core->plan.sinks == 1 || base::count_down(r.sinks_left)) end_replay(p, r);
    return;
  }
  replay_part* const parts = r.parts;
  // The part that is made ready last runs first here, so this keeps the order of recording.
  for (std::size_t i = successors.size(); i-- > 0;) {
    replay_part& next = parts[successors[i]];
    if (next.in_degree > 1) {
      if (!base::count_down(next.missing)) continue;
      next.missing.store(next.in_degree, std::memory_order_relaxed);
    }
    start(p, next);
  }
}

void begin(progress& p, replay_state& r) noexcept {
  if (r.profile) {
    r.profile->mark_ready();
    if (!r.not_begun) r.profile->mark_started(p.thread);
  }
  if (r.not_begun) r.has_failed.store(true, std::memory_order_relaxed);
  if (r.part_count == 0) return end_replay(p, r);
  replay_part* const parts = r.parts;
  const std::span<const std::uint32_t> roots = r.core->plan.roots;
  for (std::size_t i = roots.size(); i-- > 0;) start(p, parts[roots[i]]);
}

void advance(progress& p) noexcept {
  for (;;) {
    if (replay_part* part = p.ended) {
      p.ended = part->link.next ? &replay_part::of(*part->link.next) : nullptr;
      notify_successors(p, *part);
    } else if (p.beginning) {
      begin(p, *std::exchange(p.beginning, nullptr));
    } else {
      return;
    }
  }
}

/// Drops one condition of a replay's beginning; begins it after the last.
void drop_hold(thread_state& t, replay_state& r) noexcept {
  if (!base::count_down(r.holds)) return;
  progress p{t};
  p.beginning = &r;
  advance(p);
}

void fire_begin(waiter& link, const failure* cause, base::thread_context& context) noexcept {
  auto& r = reinterpret_cast<replay_state&>(link);
  r.not_begun = failure_ref::share(cause);
  drop_hold(static_cast<thread_state&>(context), r);
}
static_assert(offsetof(replay_state, link) == 0);

/// Joins the operations into the steps of a replay.
void put_together(graph_core& g) {
  std::vector<const void*> devices;
  devices.reserve(g.operations.size());
  for (const auto& o : g.operations) devices.push_back(o->body.device);
  g.steps = steps_of({g.predecessors.data(), g.operations.size()}, devices);
  g.bodies.clear();
  for (const std::uint32_t i : g.steps.operations.numbers) g.bodies.push_back(g.operations[i]->body.body.get());
  g.is_of_one_device = g.steps.predecessors.size() == 1 && devices[0];
}

/// Takes a state for one more replay, which counts as in progress.
replay_state& take_state(graph_core& g) {
  std::scoped_lock lock(g.mutex);
  if (!g.is_planned) {
    g.states.clear();
    g.free = nullptr;
    put_together(g);
    g.plan = plan_of(g.steps.predecessors);
    g.is_planned = true;
  }
  replay_state* r = g.free;
  if (r) {
    g.free = r->next;
  } else {
    g.states.push_back(std::make_unique<replay_state>(g));
    r = g.states.back().get();
  }
  r->next = nullptr;
  ++g.under_way;
  ++g.replays_begun;
  return *r;
}

void give_back(graph_core& g, replay_state& r) noexcept {
  std::scoped_lock lock(g.mutex);
  r.next = g.free;
  g.free = &r;
  --g.under_way;
  --g.replays_begun;
}

/// All preconditions, merged into one dependency.
dependency combined(const preconditions& after, const std::source_location& where) {
  if (after.events.size() == 1) return after.events[0];
  if (!after.events.empty()) return merge(after.events, where);
  if (after.dependencies.size() == 1) return after.dependencies[0];
  return after.dependencies.empty() ? dependency(event()) : dependency(merge_dependencies(after.dependencies, where));
}

}  // namespace

replay_state::replay_state(graph_core& g)
    : core(&g),
      part_count(static_cast<std::uint32_t>(g.steps.predecessors.size())),
      alignment(std::max(alignof(replay_part), g.arguments.alignment)),
      bound(g.ports),
      sinks_left(g.plan.sinks) {
  const std::size_t arguments_at =
      (part_count * sizeof(replay_part) + g.arguments.alignment - 1) / g.arguments.alignment * g.arguments.alignment;
  auto* memory = static_cast<std::byte*>(
      ::operator new(std::max<std::size_t>(arguments_at + g.arguments.bytes, 1), std::align_val_t{alignment}));
  parts = reinterpret_cast<replay_part*>(memory);
  arguments = memory + arguments_at;
  for (std::uint32_t i = 0; i < part_count; ++i) {
    const graph_operation& o = *g.operations[g.steps.operations.of(i).front()];
    replay_part& part = *::new (&parts[i]) replay_part(part_type, o);
    part.name = o.name.empty() ? nullptr : o.name.c_str();
    part.place = o.place;
    part.bound = o.bound;
    part.priority = o.priority;
    if (o.priority) part.flags = task_record::is_urgent;
    part.owner = this;
    part.operation = &o;
    part.successors = g.plan.successors.of(i);
    part.in_degree = static_cast<std::uint32_t>(g.plan.predecessors.of(i).size());
    part.missing.store(part.in_degree, std::memory_order_relaxed);
  }
}

replay_state::~replay_state() {
  std::destroy_n(parts, part_count);
  ::operator delete(parts, std::align_val_t{alignment});
}

}  // namespace sched

namespace detail {

using namespace sched;

event graph_base::replay_with(const void* arguments, const preconditions& after, std::span<const binding> bindings,
                              const std::source_location& where) {
  graph_core& g = *core_;
  auto& t = static_cast<thread_state&>(base::require_current("replay"));
  if (t.owner->number != g.runtime)
    throw error("S23", g.describe() + " was replayed in a runtime other than the one that recorded it")
        .fact("called", where)
        .because("the places of its operations were determined when they were recorded")
        .remedy("make one graph per runtime");
  for (const binding& b : bindings)
    if (b.port.graph != g.number)
      throw error("S22", "a binding for another graph was given to \"replay\" of " + g.describe())
          .fact("called", where)
          .remedy("bind the conditions that add_precondition and add_postcondition of this graph returned");
  const dependency first = combined(after, where);
  auto profile = after.profile ? std::make_unique<profile_state>(where) : nullptr;
  const bool waits = !has_ended(first, t);
  failure_ref not_begun = waits ? failure_ref() : cause_of(first, t);

  replay_state& r = take_state(g);
  event done;
  try {
    g.arguments.construct(r.arguments, arguments);
    done = make_event(t, where);
  } catch (...) {
    give_back(g, r);
    throw;
  }
  r.done = done;
  r.behind = r.device_end = event();
  r.where = where;
  if (profile) profile->promise_to(*after.profile);
  r.profile = std::move(profile);
  r.not_begun = std::move(not_begun);
  r.scope = t.scope;
  std::ranges::fill(r.bound, event());
  for (const binding& b : bindings) r.bound[g.operations[b.port.index]->port] = b.bound;
  g.references.fetch_add(1, std::memory_order_relaxed);
  count_spawned(t, g.tasks + 1);  // the replay itself counts, too: it may end later than its tasks
  r.holds.store(waits ? 2 : 1, std::memory_order_relaxed);
  bool is_behind = false;  // the device starts it after the previous replay
  if (g.overlap == replays::in_turn) {
    std::scoped_lock lock(g.mutex);
    if (g.last) {
      is_behind = waits && g.last->device_end != event() && !first.task() && first.as_event() == g.last->done;
      if (is_behind) {
        r.behind = g.last->device_end;
        r.holds.store(1, std::memory_order_relaxed);
      } else {
        r.holds.fetch_add(1, std::memory_order_relaxed);
        g.last->next = &r;
      }
    }
    g.last = &r;
  }
  if (waits && !is_behind) {
    r.link.fire = fire_begin;
    completion* task = first.task();
    if (!(task ? task->subscribe(r.link) : subscribe(first, r.link, t))) {
      r.not_begun = cause_of(first, t);
      r.holds.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  drop_hold(t, r);
  return done;
}

}  // namespace detail
}  // namespace stretto
