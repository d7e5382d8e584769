// The implementation of async and promises: records, preconditions, submission, the end.
#include <cstring>
#include <new>
#include <string>

#include <stretto/error.hpp>
#include <stretto/future.hpp>
#include <stretto/task.hpp>

#include "base/order_observer.hpp"
#include "base/sanitizers.hpp"
#include "event/event_floor.hpp"
#include "sched/cancellation.hpp"
#include "sched/counted_task.hpp"
#include "sched/profile_state.hpp"
#include "sched/ready_queues.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::sched {
namespace {

constexpr std::size_t most_preconditions = task_record::begun - 2;  // more become one merged event

unsigned class_for(std::size_t bytes) noexcept {
  unsigned c = 0;
  while (c < size_class_count && size_classes[c] < bytes) ++c;
  return c;
}
static_assert(heap_class == size_class_count);

constexpr std::size_t prefix_bytes(std::size_t preconditions) noexcept {
  return (preconditions * sizeof(dependency) + 63) / 64 * 64;
}
/// The offset of the record in a heap block, which is aligned as the storage must be: it aligns the storage, and leaves
/// space for the preconditions before the record.
constexpr std::size_t heap_offset(std::size_t preconditions, std::size_t alignment) noexcept {
  return (prefix_bytes(preconditions) + detail::storage_offset + alignment - 1) / alignment * alignment -
         detail::storage_offset;
}

/// Preconditions are stored at the end of a pooled block, or before a record from the heap.
dependency* preconditions_of(task_record& r) noexcept {
  const unsigned c = r.flags >> task_record::size_class_shift;
  auto* bytes = reinterpret_cast<std::byte*>(&r);
  if (c == 0) [[likely]]
    return reinterpret_cast<dependency*>(bytes + size_classes[0]) - r.preconditions;
  return reinterpret_cast<dependency*>(c == heap_class
                                           ? bytes - prefix_bytes(r.preconditions)
                                           : bytes + size_classes[c] - r.preconditions * sizeof(dependency));
}

void copy_name(task_record& r, std::string_view name) {
  if (name.empty()) return;
  char* copy = new char[name.size() + 1];
  std::memcpy(copy, name.data(), name.size());
  copy[name.size()] = 0;
  r.name = copy;
}

task_record& make_record(thread_state& t, std::size_t bytes, std::size_t preconditions, const detail::task_type& type,
                         const std::source_location& where, std::uint32_t references = 2) {
  bytes += detail::storage_offset + preconditions * sizeof(dependency);
  const bool is_aligned = type.alignment <= detail::storage_offset;  // as pooled blocks are
  const unsigned c = !is_aligned ? heap_class : bytes <= size_classes[0] ? 0 : class_for(bytes);
  void* memory;
  if (c == heap_class) [[unlikely]] {
    const auto before = heap_offset(preconditions, type.alignment);
    memory = static_cast<std::byte*>(::operator new(bytes + before, std::align_val_t{type.alignment})) + before;
  } else {
    memory = t.caches[c].allocate();
  }
  auto* r = new (memory) task_record(type, references, where);
  r->flags = static_cast<std::uint8_t>(c << task_record::size_class_shift | task_record::has_value);
  r->preconditions = static_cast<std::uint8_t>(preconditions);
  r->scope = t.scope;
  return *r;
}

/// Checks the preconditions, the last first; true once all have ended. If false, another thread may own `r`.
bool resolve(task_record& r, base::thread_context& context) {
  base::announce_release(&r);
  dependency* const all = preconditions_of(r);
  for (auto left = r.pending.load(std::memory_order_relaxed); left > 1;) {
    r.pending.store(--left, std::memory_order_relaxed);
    const dependency d = all[left - 1];
    completion* c = d.task();
    if (c ? c->subscribe(r.link) : detail::subscribe(d, r.link, context)) return false;
  }
  return true;
}

/// The cause of the first failed precondition, in the given order; drops the references.
failure_ref settle_preconditions(task_record& r, base::thread_context& context) {
  failure_ref first;
  dependency* const all = preconditions_of(r);
  for (unsigned i = 0; i < r.preconditions; ++i) {
    if (completion* c = all[i].task()) {
      if (!first) first = failure_ref::share(c->cause());
      c->release();
    } else if (!first) {
      first = detail::cause_of(all[i], context);
    }
  }
  return first;
}

/// All preconditions have ended: makes the task ready, or skips it with the cause of the one that failed, unless it was
/// cancelled.
void start_or_skip(thread_state& t, task_record& r) noexcept {
  const failure_ref cause = settle_preconditions(r, t);
  if (r.is_done()) return r.release();
  if (!cause) {
    if (r.flags & task_record::is_profiled) unless_cancelled(*t.owner, r, [&] { profile_of(r).mark_ready(); });
    make_ready(t, r);
  } else if (begin(*t.owner, r)) {
    skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
  } else {
    r.release();
  }
}

void fire_task(waiter& link, const failure*, base::thread_context& context) noexcept {
  task_record& r = task_record::of(link);
  if (resolve(r, context)) start_or_skip(static_cast<thread_state&>(context), r);
}

thread_state& state_or_throw(const char* verb) {
  if (thread_state* t = this_thread()) [[likely]]
    return *t;
  return static_cast<thread_state&>(base::require_current(verb));
}

[[gnu::noinline]] void observe(thread_state& t, const task_record& r, const detail::task_request& request) noexcept {
  t.observer->spawned(&r, t);
  for (const dependency& d : request.after) t.observer->follows(&r, {d.task(), d.task() ? 0 : d.as_event().raw()});
  for (const event e : request.after_events) t.observer->follows(&r, {nullptr, e.raw()});
}

// The rare cases of the fast paths; never inlined, so that the fast paths save no registers.
[[gnu::noinline]] detail::new_task make_other_task(std::size_t bytes, const detail::task_type& type,
                                                   const std::source_location& where) {
  thread_state& t = state_or_throw("async");
  return {&make_record(t, bytes, 0, type, where), &t};
}

[[gnu::noinline]] void push_slowly(worker& w, task_record& r) noexcept {
  const item i = reinterpret_cast<item>(&r);
  if (!w.default_queue->push_unless_full(i)) push_when_full(w, i);  // which returns on this worker
  w.owner->notify(w);
}

[[gnu::noinline]] void submit_elsewhere(task_record& r) noexcept {
  thread_state& t = *this_thread();
  base::announce_release(&r);
  if (t.observer) t.observer->spawned(&r, t);
  r.place = no_place;
  r.pending.store(1, std::memory_order_relaxed);
  r.made_ready_by(t.current_id);
  count_spawned(t);
  if (worker* w = t.as_worker) push_slowly(*w, r);
  else make_ready(t, r);
}

/// A cancelled task keeps its flag, since other threads may read the flags meanwhile.
bool has_value_to_drop(const task_record& r) noexcept {
  return r.flags & task_record::has_value && r.type().drop_value && !r.cause();
}

[[gnu::noinline]] void destroy_contents(task_record& r) noexcept {
  if (has_value_to_drop(r)) r.type().drop_value(r.storage());
  if (!(r.flags & task_record::keeps_name)) delete[] r.name;
  r.name = nullptr;
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  if (r.flags >> task_record::size_class_shift == heap_class) {
    // The memory may be reused, for example for a part of a recorded graph: an observer must not take that for this
    // task.
    if (thread_state* t = this_thread(); t && t->observer) t->observer->reused(&r);
    const std::size_t alignment = r.type().alignment;
    ::operator delete(reinterpret_cast<std::byte*>(&r) - heap_offset(r.preconditions, alignment),
                      std::align_val_t{alignment});
  } else {
    detail::destroy_task(r);
  }
}

}  // namespace

bool is_of_task(const waiter& w) noexcept { return w.fire == fire_task; }

task_record& make_counted(thread_state& t, const counted_task& about, std::size_t bytes,
                          const detail::task_type& type) {
  const std::int8_t urgency = about.priority ? checked_priority(about.priority, about.where) : std::int8_t{0};
  task_record& r = make_record(t, bytes, 0, type, about.where, 1);
  r.scope = about.scope;
  r.place = no_place;
  if (urgency) {
    r.priority = urgency;
    r.flags |= task_record::is_urgent;
  }
  if (about.name.empty()) {
    r.name = about.lasting_name;
    r.flags |= task_record::keeps_name;
  } else {
    copy_name(r, about.name);
  }
  return r;
}

void start_counted(thread_state& t, task_record& r) noexcept {
  if (t.observer) [[unlikely]]
    t.observer->spawned(&r, t);
  make_ready(t, r);
}

}  // namespace stretto::sched

namespace stretto::detail {

using namespace sched;

new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where) {
  thread_state* t = this_thread();
  if (t && bytes <= size_classes[0] - storage_offset) [[likely]]
    if (void* memory = t->caches[0].try_allocate()) [[likely]] {
      auto* r = new (memory) task_record(type, 2, where);
      r->flags = task_record::has_value;
      r->scope = t->scope;
      return {r, t};
    }
  return make_other_task(bytes, type, where);
}

new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where,
                   const task_request& request) {
  thread_state& t = state_or_throw("async");
  const std::size_t given = request.after.size() + request.after_events.size();
  const auto to = t.owner->destination_of(request.at, request.on, request.worker, where);
  const std::int8_t urgency = checked_priority(request.priority, where);

  task_record& r = make_record(t, bytes, given > most_preconditions ? 1 : given, type, where);
  r.place = to.place;
  r.bound = to.bound;
  if (urgency) {
    r.priority = urgency;
    r.flags |= task_record::is_urgent;
  }
  copy_name(r, request.name);
  if (request.profile) {
    try {
      begin_profile(r, *request.profile);
    } catch (...) {
      abandon(r);
      throw;
    }
  }
  return {&r, &t};
}

void submit(completion& record, void* thread) noexcept {
  auto& r = static_cast<task_record&>(record);
  if (thread) [[likely]]
    if (sched::worker* w = static_cast<thread_state*>(thread)->fast_path_worker) [[likely]] {
      r.place = no_place;
      r.pending.store(1, std::memory_order_relaxed);
      r.made_ready_by(w->current_id);
      w->shard->count_spawned();
      if (w->default_queue->try_push(reinterpret_cast<item>(&r))) [[likely]]
        return w->owner->notify(*w);
      return push_slowly(*w, r);
    }
  submit_elsewhere(r);
}

void submit(completion& record, const task_request& request) {
  thread_state& t = *this_thread();
  auto& r = static_cast<task_record&>(record);
  if (t.observer) [[unlikely]]
    observe(t, r, request);
  count_spawned(t);
  dependency* all = preconditions_of(r);
  if (request.after.size() + request.after_events.size() > most_preconditions) {
    std::vector<dependency> every(request.after.begin(), request.after.end());
    for (event e : request.after_events) every.emplace_back(e);
    const base::unobserved here(t);  // the observer knows these already
    all[0] = merge_dependencies(every, r.where);
  } else {
    for (dependency d : request.after) new (all++) dependency(d);
    for (event e : request.after_events) new (all++) dependency(e);
    all = preconditions_of(r);
    for (unsigned i = 0; i < r.preconditions; ++i)
      if (completion* c = all[i].task()) c->add_reference();
  }
  r.link.fire = fire_task;
  r.pending.store(static_cast<std::uint8_t>(r.preconditions + 1), std::memory_order_relaxed);
  constexpr auto is_special = task_record::is_urgent | task_record::is_profiled;
  if (!r.preconditions && r.place == no_place && !r.bound && !(r.flags & is_special)) {
    base::announce_release(&r);
    r.made_ready_by(t.current_id);
    if (sched::worker* w = t.as_worker) push_slowly(*w, r);
    else make_ready(t, r);
  } else if (resolve(r, t)) {
    start_or_skip(t, r);
  }
}

void abandon(completion& record) noexcept {
  auto& r = static_cast<task_record&>(record);
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  if (r.flags & task_record::is_profiled) r.release();  // the profile's own
  r.release();
  r.release();
}

void destroy_task(completion& c) noexcept {
  auto& r = static_cast<task_record&>(c);
  const unsigned size_class = r.flags >> task_record::size_class_shift;
  const bool has_value = has_value_to_drop(r);
  if ((r.name && !(r.flags & task_record::keeps_name)) || size_class == heap_class || has_value) [[unlikely]]
    return destroy_contents(r);
  // A thread without a runtime has no cache for the block: it stays with the stock until the runtime ends.
  if (thread_state* t = this_thread()) t->caches[size_class].free(&r);
}

std::string describe_task(const completion& c) {
  const auto& r = static_cast<const task_record&>(c);
  if (r.name) return "task \"" + std::string(r.name) + "\"";
  return (r.flags & task_record::is_promise ? "promise" : "task") + std::string(" at ") + short_location(r.where);
}

void add_reference(completion& c) noexcept { c.add_reference(); }
void release(completion& c) noexcept { c.release(); }
bool is_done(const completion& c) noexcept {
  if (!c.is_done()) return false;
  if (thread_state* t = this_thread(); t && t->observer) t->observer->waited({&c, 0}, *t);
  return true;
}
bool is_poisoned(const completion& c) noexcept { return c.is_done() && c.cause(); }
bool is_only_reference(const completion& c) noexcept {
  if (c.references() != 1) return false;
  base::announce_acquire(&c);
  return true;
}

event event_of(completion& c) { return event_of(c, state_or_throw("event"), static_cast<task_record&>(c).where); }

wait_result result_of(const completion& c) {
  if (!c.is_done()) return {};
  if (thread_state* t = this_thread(); t && t->observer) t->observer->waited({&c, 0}, *t);
  if (!c.cause()) return {};
  try {
    c.cause()->raise();
  } catch (...) {
    return wait_result(std::current_exception());
  }
}

completion& new_promise(std::size_t bytes, const task_type& type, const std::source_location& where) {
  thread_state& t = state_or_throw("promise");
  task_record& r = make_record(t, bytes, 0, type, where);
  r.flags = static_cast<std::uint8_t>((r.flags & ~task_record::has_value) | task_record::is_promise);
  r.scope = nullptr;
  if (t.observer) [[unlikely]]
    t.observer->reused(&r);
  r.release();  // a promise starts with one reference, its own; each future adds one
  return r;
}

void keep_promise(completion& c) noexcept {
  auto& r = static_cast<task_record&>(c);
  r.flags |= task_record::has_value;
  r.complete({}, *this_thread());
}

void break_promise(completion& c, std::exception_ptr why) noexcept {
  auto& r = static_cast<task_record&>(c);
  const bool let_go = !why;
  if (let_go) {
    if (r.references() == 1 && !r.is_done()) {  // its future was never taken
      r.complete({}, *this_thread());
      return;
    }
    why = std::make_exception_ptr(error("E12", "a promise was destroyed without a value")
                                      .fact("created", r.where)
                                      .because("its future would never be ready")
                                      .remedy("call set() or poison() on every path, including those that throw"));
  }
  const failure_ref cause = make_failure(std::move(why), describe_task(r), r.where);
  if (let_go) report(cause, *this_thread());
  r.complete(cause, *this_thread());
}

void no_value(const char* what, const std::source_location& where) {
  throw error("E13", std::string("\"") + what + "\" was called on an empty future or promise")
      .fact("called", where)
      .because("it was default-constructed, moved from, or already fulfilled")
      .remedy("keep the future that async or get_future returned");
}

}  // namespace stretto::detail
