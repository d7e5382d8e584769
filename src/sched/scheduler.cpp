#include "sched/scheduler.hpp"

#include <unistd.h>

#include <algorithm>

#include <stretto/error.hpp>

#include "base/futex.hpp"
#include "base/nearest_name.hpp"
#include "event/event_floor.hpp"
#include "trace/recorder.hpp"

namespace stretto::sched {
namespace {
std::atomic<std::uint64_t> next_number{1};
}

scheduler::scheduler(base::runtime_context& r, scheduler_paths p, const scheduler_settings& s)
    : number(next_number.fetch_add(1, std::memory_order_relaxed)),
      runtime(r),
      paths(std::move(p)),
      settings(s),
      recorder(s.recorder && s.recorder->is_on() ? s.recorder : nullptr),
      polls(s.polls),
      scope_stock(sizeof(finish_scope)),
      shard_stock(sizeof(scope_shard) * paths.pop.size()),
      stacks(s.stack_bytes, s.max_suspended + paths.pop.size()),  // each worker has one of its own
      injected(paths.places) {
  base::asymmetric::prepare();
  for (const auto bytes : size_classes) stocks.push_back(std::make_unique<base::block_stock>(bytes));
  runtime.set(base::floor_slot::sched, this);
  for (std::uint32_t i = 0; i < paths.pop.size(); ++i) {
    workers.push_back(std::make_unique<worker>(*this, runtime, i, paths.places,
                                               worker_paths{&paths.pop[i], &paths.steal[i]}, settings.seed));
    prepare_thread(*workers.back());
    worker& w = *workers.back();
    w.every_span = recorder && recorder->level() == trace::level::full;
    w.first_id = first_id_of(runtime.node, i);
    if (recorder) w.ring = &recorder->add_ring("worker " + std::to_string(i));
    w.tasks.choose({.most_period = !recorder ? 0u : w.every_span ? 1u : 1024u, .seed = i + 1u});
  }
  step_random = settings.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  next_attached = static_cast<std::uint32_t>(workers.size());
  detail::report_unobserved_to(
      runtime, [](void* self, failure_ref f) { static_cast<scheduler*>(self)->unobserved.add(f); }, this);
}

scheduler::~scheduler() {
  detail::report_unobserved_to(runtime, nullptr, nullptr);
  for (auto& w : workers) {
    for (stack* s : w->spare_stacks) stacks.give(s);
    detail::leave_events(*w);
  }
  workers.clear();  // their caches give back to the stocks, which go next
  runtime.set(base::floor_slot::sched, nullptr);
}

void scheduler::prepare_thread(thread_state& t) {
  t.owner = this;
  t.runtime = &runtime;
  t.observer = runtime.observer;
  if (!t.observer) t.unwatched = t.as_worker;
  for (std::size_t c = 0; c < size_class_count; ++c) t.caches[c].draw_from(*stocks[c]);
  t.scopes.draw_from(scope_stock);
  t.shards.draw_from(shard_stock);
  detail::enter_events(t);
}

thread_state* scheduler::attach(const std::source_location& where, const char* called) {
  auto* t = new thread_state;
  t->attached_at = where;
  t->kernel_thread.store(gettid(), std::memory_order_relaxed);
  std::scoped_lock lock(attach_mutex);
  t->called = called;
  t->every_span = recorder && recorder->level() == trace::level::full;
  if (t->every_span) t->ring = &ring_of(called);
  t->index = next_attached++;
  t->first_id = first_id_of(runtime.node, t->index);
  prepare_thread(*t);
  t->scope = root;
  attached.push_back(t);
  return t;
}

// A ring has one writer at a time, and the recorder keeps all: threads that come and go take turns with them.
trace::ring& scheduler::ring_of(const char* called) {
  const auto spare = std::find_if(spare_rings.begin(), spare_rings.end(),
                                  [&](const auto& one) { return std::string_view(one.first) == called; });
  if (spare == spare_rings.end()) {
    spare_rings.reserve(spare_rings.size() + attached.size() + 1);  // so that detach() needs no memory
    return recorder->add_ring(called + (" " + std::to_string(++rings_of_threads)));
  }
  trace::ring& again = *spare->second;
  spare_rings.erase(spare);
  return again;
}

void scheduler::detach(thread_state* t) noexcept {
  std::scoped_lock lock(attach_mutex);
  if (t->ring) spare_rings.emplace_back(t->called, t->ring);
  detail::leave_events(*t);
  std::erase(attached, t);
  delete t;
}

void scheduler::wake(worker& w) noexcept {
  if (w.parked.exchange(0, std::memory_order_seq_cst)) {
    searching_and_parked.fetch_add(1 - (std::uint64_t{1} << 32), std::memory_order_seq_cst);
    base::futex_wake(w.parked);
  }
}

void scheduler::wake_any() noexcept {
  for (auto& w : workers)
    if (w->parked.load(std::memory_order_relaxed)) return wake(*w);
}

void scheduler::wake_all() noexcept {
  for (auto& w : workers) wake(*w);
}

bool scheduler::anything_ready(const worker& self) const noexcept {
  if (!self.bound.is_empty() || !self.bound_urgent.is_empty()) return true;
  for (const auto& box : injected)
    if (!box.is_empty()) return true;
  for (const auto& w : workers) {
    if (!w->urgent.is_empty()) return true;
    for (const auto& queue : w->queues)
      if (const deque* q = queue.load(std::memory_order_acquire); q && q->size() > 0) return true;
  }
  return false;
}

std::optional<std::uint64_t> scheduler::queued_at(std::uint32_t place) const noexcept {
  std::optional<std::uint64_t> queued;
  for (const auto& w : workers)
    if (const deque* q = w->queues[place].load(std::memory_order_acquire))
      queued = queued.value_or(0) + static_cast<std::uint64_t>(std::max<std::int64_t>(0, q->size()));
  for (const auto& w : workers)
    if (w->paths.pop->front() == place) queued = queued.value_or(0) + w->urgent.size() + w->bound_count();
  if (injected[place].puts() != 0) queued = queued.value_or(0) + injected[place].size();
  return queued;
}

scheduler::destination scheduler::destination_of(place at, place on, std::uint32_t worker,
                                                 const std::source_location& where) {
  destination to;
  if (at) {
    to.place = reachable_place(at, where);
    if (server_of(to.place)) to.bound = bound_to_server;
  }
  if (on) to.bound = worker_at(on, where);
  if (worker != 0xffffffffu) to.bound = worker_numbered(worker, where);
  return to;
}

std::uint16_t scheduler::reachable_place(place p, const std::source_location& where) const {
  if (p.index >= paths.places)
    throw error("S02", "place " + std::to_string(p.index) + " does not exist")
        .fact("spawned", where)
        .because("this runtime's platform has places 0 to " + std::to_string(paths.places - 1));
  const auto reaches = [&](const std::vector<std::uint16_t>& path) {
    return std::find(path.begin(), path.end(), p.index) != path.end();
  };
  for (std::size_t i = 0; i < paths.pop.size(); ++i)
    if (reaches(paths.pop[i]) || reaches(paths.steal[i])) return static_cast<std::uint16_t>(p.index);
  if (server_of(static_cast<std::uint16_t>(p.index))) return static_cast<std::uint16_t>(p.index);
  throw error("S02", "no worker's paths reach place \"" + paths.names[p.index] + "\", so a task there would never run")
      .fact("spawned", where)
      .remedy("put the place on a pop or steal path of the platform file, or let a module claim it");
}

std::uint16_t scheduler::worker_at(place p, const std::source_location& where) {
  std::vector<std::uint16_t> homes;
  for (std::size_t i = 0; i < paths.pop.size(); ++i)
    if (paths.pop[i].front() == p.index) homes.push_back(static_cast<std::uint16_t>(i + 1));
  if (homes.empty())
    throw error("S03", "no worker has its home at place " +
                           (p.index < paths.places ? "\"" + paths.names[p.index] + "\"" : std::to_string(p.index)))
        .fact("spawned", where)
        .because("on(place) binds a task to a worker, and a worker's home is the first place of its pop path")
        .remedy("use at(place), or on(worker(i))");
  return homes[next_bound.fetch_add(1, std::memory_order_relaxed) % homes.size()];
}

std::uint16_t scheduler::worker_numbered(std::uint32_t index, const std::source_location& where) const {
  if (index >= paths.pop.size())
    throw error("S03", "there is no worker " + std::to_string(index))
        .fact("spawned", where)
        .because("this runtime has workers 0 to " + std::to_string(paths.pop.size() - 1));
  return static_cast<std::uint16_t>(index + 1);
}

std::int8_t checked_priority(int priority, const std::source_location& where) {
  if (priority < -128 || priority > 127)
    throw error("S04", "priority " + std::to_string(priority) + " is out of range")
        .fact("spawned", where)
        .because("priorities go from -128 to 127; 0 is usual");
  return static_cast<std::int8_t>(priority);
}

}  // namespace stretto::sched
