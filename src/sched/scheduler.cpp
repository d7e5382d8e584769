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

/// How long a worker polls at least before it sleeps.
constexpr std::uint64_t shortest_spin_ns = 50'000;

bool has_items(const std::atomic<deque*>& queue) noexcept {
  const deque* const q = queue.load(std::memory_order_acquire);
  return q && q->size() > 0;
}

/// Whether it sleeps and would search for work if it were woken.
bool is_to_be_woken(const worker& w) noexcept {
  return w.parked.load(std::memory_order_relaxed) && !w.may_step_aside.load(std::memory_order_relaxed);
}

}  // namespace

path_index::path_index(const scheduler_paths& paths)
    : is_uniform(true),
      visitors(paths.places),
      thieves(paths.places),
      visits(paths.pop.size(), std::vector<bool>(paths.places)) {
  for (std::uint16_t w = 0; w < paths.pop.size(); ++w) {
    for (const auto p : paths.steal[w]) thieves[p].push_back(w), visits[w][p] = true;
    for (const auto p : paths.pop[w]) visits[w][p] = true;
    for (std::uint32_t p = 0; p < paths.places; ++p)
      if (visits[w][p]) visitors[p].push_back(w);
  }
  const auto workers = paths.pop.size();
  for (std::uint32_t p = 0; p < paths.places && workers > 1; ++p)
    if (!visitors[p].empty() && thieves[p].size() < workers) is_uniform = false;
}

scheduler::scheduler(base::runtime_context& r, scheduler_paths p, const scheduler_settings& s)
    : number(next_number.fetch_add(1, std::memory_order_relaxed)),
      runtime(r),
      paths(std::move(p)),
      reach(paths),
      one_searching(reach.is_uniform ? 1 : 0),
      settings(s),
      recorder(s.recorder && s.recorder->is_on() ? s.recorder : nullptr),
      polls(s.polls),
      scope_stock(sizeof(finish_scope)),
      shard_stock(sizeof(scope_shard) * (paths.pop.size() + 1 + s.spare_workers)),
      stacks(s.stack_bytes,
             s.max_suspended + paths.pop.size() + s.spare_workers),  // each worker needs one for its loop
      injected(paths.places) {
  base::asymmetric::prepare();
  for (const auto bytes : size_classes)
    stocks.push_back(std::make_unique<base::block_pool>(bytes, !base::is_watched_alone()));
  runtime.set(base::floor_slot::sched, this);
  const auto count = static_cast<std::uint32_t>(paths.pop.size());
  for (std::uint32_t i = 0; i < count; ++i) workers.push_back(make_worker(i));
  if (count == 1 && !settings.stepped) substitute = std::make_unique<substitute_worker>(make_worker(count));
  for (std::uint32_t i = 0; i < settings.spare_workers && !settings.stepped; ++i) {
    spares.push_back(make_worker(shard_count()));
    spares.back()->spare_number = i + 1;
    spares.back()->may_step_aside.store(true, std::memory_order_relaxed);
    if (recorder) spares.back()->ring = &recorder->add_ring("spare worker " + std::to_string(i));
  }
  for (const auto* const all : {&workers, &spares})
    for (const auto& one : *all) victims.push_back(one.get());
  step_random = settings.seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  next_attached = shard_count();
  detail::report_unobserved_to(
      runtime, [](void* self, failure_ref f) { static_cast<scheduler*>(self)->unobserved.add(f); }, this);
}

std::unique_ptr<worker> scheduler::make_worker(std::uint32_t index) {
  const std::size_t path = index < paths.pop.size() ? index : 0;  // a substitute searches where worker 0 does
  auto w = std::make_unique<worker>(
      *this, runtime, index, paths.places, worker_paths{&paths.pop[path], &paths.steal[path]},
      adaptive_spin(shortest_spin_ns, settings.longest_spin_microseconds * 1000ull), settings.seed);
  prepare_thread(*w);
  w->every_span = recorder && recorder->level() == trace::level::full;
  w->first_id = first_id_of(runtime.node, index);
  if (recorder && path == index) w->ring = &recorder->add_ring("worker " + std::to_string(index));
  w->tasks.choose({.most_period = !recorder ? 0u : w->every_span ? 1u : 1024u, .seed = index + 1u});
  return w;
}

scheduler::~scheduler() {
  detail::report_unobserved_to(runtime, nullptr, nullptr);
  const auto leave = [&](worker& w) {
    for (stack* s : w.spare_stacks) stacks.give(s);
    detail::leave_events(w);
  };
  for (auto& w : workers) leave(*w);
  if (substitute) leave(*substitute->as);
  for (auto& w : spares) leave(*w);
  workers.clear();  // their caches return blocks to the stocks, which are destroyed next
  substitute.reset();
  spares.clear();
  runtime.set(base::floor_slot::sched, nullptr);
}

void scheduler::prepare_thread(thread_state& t) {
  t.owner = this;
  t.runtime = &runtime;
  t.observer = runtime.observer;
  if (!t.observer && !base::is_watched_alone()) t.fast_path_worker = t.as_worker;
  for (std::size_t c = 0; c < size_class_count; ++c) t.caches[c].draw_from(*stocks[c]);
  t.scopes.draw_from(scope_stock);
  t.shards.draw_from(shard_stock);
  detail::enter_events(t);
}

thread_state* scheduler::attach(const std::source_location& where, const char* track_name) {
  auto* t = new thread_state;
  t->attached_at = where;
  t->kernel_thread.store(gettid(), std::memory_order_relaxed);
  std::scoped_lock lock(attach_mutex);
  t->track_name = track_name;
  t->every_span = recorder && recorder->level() == trace::level::full;
  if (t->every_span) t->ring = &ring_of(track_name);
  t->index = next_attached++;
  t->first_id = first_id_of(runtime.node, t->index);
  prepare_thread(*t);
  t->scope = root;
  attached.push_back(t);
  return t;
}

// A ring has one writer at a time, and the recorder keeps all rings: threads that come and go reuse them.
trace::ring& scheduler::ring_of(const char* track_name) {
  const auto spare = std::find_if(spare_rings.begin(), spare_rings.end(),
                                  [&](const auto& one) { return std::string_view(one.first) == track_name; });
  if (spare == spare_rings.end()) {
    spare_rings.reserve(spare_rings.size() + attached.size() + 1);  // so that detach() needs no memory
    return recorder->add_ring(track_name + (" " + std::to_string(++rings_of_threads)));
  }
  trace::ring& again = *spare->second;
  spare_rings.erase(spare);
  return again;
}

// A runtime that ends waits for threads of the program: the lock is the last part of it that such a thread touches.
void scheduler::detach(thread_state* t) noexcept {
  std::scoped_lock lock(attach_mutex);
  if (t->ring) spare_rings.emplace_back(t->track_name, t->ring);
  detail::leave_events(*t);
  std::erase(attached, t);
  delete t;
}

bool scheduler::has_program_threads() const noexcept {
  std::scoped_lock lock(attach_mutex);
  return std::ranges::any_of(attached,
                             [](const thread_state* t) { return std::string_view(t->track_name) == program_thread; });
}

void scheduler::wake(worker& w) noexcept {
  if (w.parked.exchange(0, std::memory_order_seq_cst)) {
    searching_and_parked.fetch_add(one_searching - (std::uint64_t{1} << 32), std::memory_order_seq_cst);
    base::futex_wake(w.parked);
  } else if (substitute && &w == substitute->as.get()) {
    call_substitute();
  } else if (w.spare_number) {
    call_spares();
  }
}

void scheduler::call_spares() noexcept {
  spare_calls.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake_all(spare_calls);
}

void scheduler::wake_substitute() noexcept {
  substitute->calls.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake(substitute->calls);
}

void scheduler::notify_near(worker& preferred) noexcept {
  base::asymmetric::light();
  if (is_to_be_woken(preferred)) wake(preferred);
  else notify_all_alike();
}

void scheduler::wake_any() noexcept {
  for (auto& w : workers)
    if (is_to_be_woken(*w)) return wake(*w);
}

void scheduler::wake_one_of(const std::vector<std::uint16_t>& candidates) noexcept {
  for (const auto i : candidates)
    if (is_to_be_woken(*workers[i])) return wake(*workers[i]);
}

void scheduler::wake_thief(std::uint16_t place) noexcept {
  if (reach.is_uniform) return wake_any();
  wake_one_of(reach.thieves[place]);
}

void scheduler::wake_visitor(std::uint16_t place) noexcept {
  if (reach.is_uniform) return wake_any();
  wake_one_of(reach.visitors[place]);
}

void scheduler::wake_all() noexcept {
  for (auto& w : workers) wake(*w);
}

void scheduler::wake_for_the_rest(const worker& self) noexcept {
  for (const auto place : *self.paths.pop) {
    if (has_items(self.queues[place])) wake_one_of(reach.thieves[place]);
    if (!injected[place].is_empty()) wake_one_of(reach.visitors[place]);
  }
  for (const auto place : *self.paths.steal) {
    for (const worker* const w : victims)
      if (has_items(w->queues[place])) {
        wake_one_of(reach.thieves[place]);
        break;
      }
    if (!injected[place].is_empty()) wake_one_of(reach.visitors[place]);
  }
  bool is_any = !anywhere.is_empty();
  for (const worker* const w : victims) is_any = is_any || !w->urgent.is_empty() || !w->nearby.is_empty();
  if (is_any) wake_any();
}

bool scheduler::anything_ready(const worker& self) const noexcept {
  if (!self.bound.is_empty() || !self.bound_urgent.is_empty() || !anywhere.is_empty()) return true;
  for (const auto place : *self.paths.pop)
    if (!injected[place].is_empty() || has_items(self.queues[place])) return true;
  for (const auto place : *self.paths.steal) {
    if (!injected[place].is_empty()) return true;
    for (const worker* const w : victims)
      if (has_items(w->queues[place])) return true;
  }
  return std::ranges::any_of(victims, [](const worker* w) { return !w->urgent.is_empty() || !w->nearby.is_empty(); });
}

worker& scheduler::a_visitor_of(std::uint16_t place) noexcept {
  const auto& candidates = reach.visitors[place];
  for (const auto i : candidates)
    if (is_to_be_woken(*workers[i])) return *workers[i];
  return *workers[candidates[next_bound.fetch_add(1, std::memory_order_relaxed) % candidates.size()]];
}

std::optional<std::uint64_t> scheduler::queued_at(std::uint32_t place) const noexcept {
  std::optional<std::uint64_t> queued;
  for (const auto& w : workers)
    if (const deque* q = w->queues[place].load(std::memory_order_acquire))
      queued = queued.value_or(0) + static_cast<std::uint64_t>(std::max<std::int64_t>(0, q->size()));
  for (const auto& w : workers)
    if (w->paths.pop->front() == place)
      queued = queued.value_or(0) + w->urgent.size() + w->bound_count() + w->nearby.size();
  if (injected[place].puts() != 0) queued = queued.value_or(0) + injected[place].size();
  if (paths.pop[0].back() == place && anywhere.puts() != 0) queued = queued.value_or(0) + anywhere.size();
  return queued;
}

scheduler::destination scheduler::destination_of(place at, place on, std::uint32_t worker,
                                                 const std::source_location& where) {
  destination to;
  if (at) {
    to.place = reachable_place(at, where);
    to.bound = server_of(to.place) ? bound_to_server : reach.is_uniform ? std::uint16_t{0} : bound_to_place;
  }
  if (on) to.bound = worker_at(on, where);
  if (worker == 0xffffffffu) return to;
  const std::uint16_t named = worker_numbered(worker & ~prefers_worker, where);
  if (worker & prefers_worker) to.place = static_cast<std::uint16_t>((named - 1) | near_worker_bit);
  else to.bound = named;
  return to;
}

bool scheduler::is_of_device(place p) const noexcept {
  if (p.index >= paths.kinds.size()) return false;
  return paths.kinds[p.index] == place_kind::gpu || paths.kinds[p.index] == place_kind::gpu_memory;
}

error scheduler::no_host_code_at(const char* code, place p, const std::source_location& where) const {
  return error(code, "place \"" + paths.names[p.index] +
                         "\" is a device's: tasks, which are code of the host, do not run there")
      .fact("spawned", where)
      .because("a device runs kernels, and workers run tasks")
      .remedy(
          "launch(on(place), kernel, ...) with a STRETTO_KERNEL or a native_kernel; or spawn the task without this "
          "place");
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
  if (is_of_device(p)) throw no_host_code_at("S02", p, where);
  throw error("S02", "no worker's paths reach place \"" + paths.names[p.index] + "\", so a task there would never run")
      .fact("spawned", where)
      .remedy("put the place on a pop or steal path of the platform file, or let a module claim it");
}

std::uint16_t scheduler::worker_at(place p, const std::source_location& where) {
  std::vector<std::uint16_t> homes;
  for (std::size_t i = 0; i < paths.pop.size(); ++i)
    if (paths.pop[i].front() == p.index) homes.push_back(static_cast<std::uint16_t>(i + 1));
  if (homes.empty() && is_of_device(p)) throw no_host_code_at("S03", p, where);
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
