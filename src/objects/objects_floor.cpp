#include "objects/objects_floor.hpp"

#include <algorithm>
#include <atomic>

#include "base/log.hpp"
#include "base/node_numbers.hpp"
#include "data/attachments.hpp"
#include "data/data_state.hpp"
#include "event/event_floor.hpp"
#include "objects/shared_objects.hpp"
#include "objects/speeds_file.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

namespace {

bool has_passed(data::token t) {
  if (t == 0) return true;
  base::thread_context* const here = base::current();
  if (!here) return false;
  const dependency d(event::from_raw(t));
  return detail::has_ended(d, *here) && !detail::cause_of(d, *here);
}

device_kind kind_of(device::processor_kind kind) noexcept {
  switch (kind) {
    case device::processor_kind::gpu: return device_kind::gpu;
    case device::processor_kind::cpu: return device_kind::cpu;
    case device::processor_kind::accelerator: break;
  }
  return device_kind::accelerator;
}

data::replica_set::cost_function costs(const objects_state& s) {
  // Transfers between two devices pass through the host.
  const auto steps = [&s](data::memory_number m) {
    if (m == 0) return 0;
    if (m < s.execution_places.size()) return 1;
    return m < s.execution_places.size() + s.shared_memories.size() ? 0 : 8;  // a disk is slower
  };
  return [&s, steps](data::memory_number from, data::memory_number to, std::uint64_t bytes) {
    return static_cast<double>(bytes) / s.bytes_per_second * (steps(from) + steps(to));
  };
}

/// Joined storage is evicted as a whole, so tiles that would fill a good part of a memory stay separate.
std::function<std::uint64_t(data::memory_number)> most_joined(objects_state& s) {
  constexpr std::uint64_t parts_of_memory = 16;
  return [&s](data::memory_number m) { return s.at(m).space->capacity() / parts_of_memory; };
}

const execution_place* shared_memory_of(const objects_state& s, place memory) {
  if (!memory) return nullptr;
  const auto found = std::ranges::find(s.shared_memories, memory, &execution_place::memory);
  return found == s.shared_memories.end() ? nullptr : &*found;
}

}  // namespace

object_record::object_record(std::shared_ptr<objects_state> owner, const detail::object_request& r,
                             const std::source_location& where)
    : state(std::move(owner)),
      elements(r.elements),
      dimensions(r.dimensions),
      element_bytes(r.element_bytes),
      alignment(r.alignment),
      name(r.name),
      created(where),
      number(++state->object_numbers),
      shared_memory(shared_memory_of(*state, r.memory)),
      order(state->slots),
      replicas(r.element_bytes, costs(*state), has_passed, most_joined(*state)) {}

std::unique_ptr<object_record> object_record::make(const std::shared_ptr<objects_state>& owner,
                                                   const detail::object_request& r, const std::source_location& where) {
  static_assert(alignof(object_record) <= 64);  // alignment of blocks
  void* const memory = owner->object_blocks.allocate();
  try {
    return std::unique_ptr<object_record>(::new (memory) object_record(owner, r, where));
  } catch (...) {
    owner->object_blocks.free(memory);
    throw;
  }
}

void object_record::operator delete(object_record* o, std::destroying_delete_t) noexcept {
  const std::shared_ptr<objects_state> owner = o->state;
  o->~object_record();
  owner->object_blocks.free(o);
}

std::string describe(const object_record& r) {
  return r.name.empty() ? "object O" + std::to_string(r.number) : "object \"" + r.name + "\"";
}

std::vector<data::memory_number> object_record::eviction_targets(data::memory_number memory) const {
  std::vector<data::memory_number> all = state->eviction_targets(memory);
  if (shared_memory && memory > 0 && memory < state->execution_places.size())
    all.insert(all.begin(), shared_memory->view.index);
  return all;
}

std::vector<data::memory_number> objects_state::eviction_targets(data::memory_number memory) const {
  std::vector<data::memory_number> all;
  if (memory >= execution_places.size() + shared_memories.size()) return all;
  if (memory >= execution_places.size()) {
    all.push_back(0);
    if (spill) all.push_back(spill->view.index);
    return all;
  }
  if (device::attached_device* const from = execution_places[memory].device) {
    all.push_back(0);
    // Transfers between other devices would pass through the host, which is full at that time.
    for (const execution_place& at : execution_places)
      if (at.device && at.device != from && !at.is_lost && at.device->is().reaches(from->is()) &&
          from->is().reaches(at.device->is()))
        all.push_back(at.view.index);
  }
  if (spill) all.push_back(spill->view.index);
  return all;
}

std::uint32_t objects_state::speed_number(const kernel_code& code, std::uint32_t place_index) {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(&code) ^ place_index;
  auto& last = last_speed_numbers[(key ^ key >> 8) % last_speed_numbers.size()];
  if (last.first == key) return last.second;
  const auto [at, is_new] = speed_numbers.try_emplace(key, 0);
  if (is_new) at->second = measured.number_of(code.name, execution_places[place_index].view.name);
  last = *at;
  return at->second;
}

std::uint64_t object_record::valid_elements(data::memory_number in, const box& where) {
  const auto first = static_cast<std::uint64_t>(where.min()[0]), second = static_cast<std::uint64_t>(where.min()[1]);
  known_share& k = shares[((first * 0x9e3779b97f4a7c15u + second * 0xc2b2ae3d27d4eb4fu) >> 32 ^ in) % shares.size()];
  if (k.at != replicas.changes() || k.in != in || k.where != where)
    k = {in, where, replicas.valid_elements(in, where), replicas.changes()};
  return k.elements;
}

const std::shared_ptr<objects_state>& state_of(const base::runtime_context& runtime) noexcept {
  return *runtime.get<std::shared_ptr<objects_state>>(base::floor_slot::objects);
}

std::function<std::uint64_t()> counting_clock() {
  constexpr std::uint64_t reading_ns = 100;
  const auto readings = std::make_shared<std::atomic<std::uint64_t>>(0);
  return [readings] { return reading_ns * readings->fetch_add(1, std::memory_order_relaxed); };
}

void start_objects(base::runtime_context& runtime, device::device_set* devices, const objects_settings& settings) {
  auto s = std::make_shared<objects_state>(settings.recycles);
  s->runtime = &runtime;
  s->check = settings.check;
  const auto log = std::make_shared<base::logger>(base::node_name(runtime.node), settings.log);
  s->warn = [log](const std::string& text) { log->warn("{}", text); };
  const data::data_state& memories = *runtime.get<data::data_state>(base::floor_slot::data);
  const auto execution_place_of = [&](std::string_view name, std::string_view backend, data::memory_space& m,
                                      std::uint32_t depth) {
    execution_place at;
    at.view.index = static_cast<std::uint32_t>(s->execution_places.size());
    at.view.name = name;
    at.view.kind = backend;
    at.space = &m;
    at.memory = m.where();
    at.depth = depth;
    return at;
  };
  const auto add = [&](std::string_view name, std::string_view backend, data::memory_space& m,
                       std::uint32_t depth) -> execution_place& {
    return s->execution_places.emplace_back(execution_place_of(name, backend, m, depth));
  };
  for (const auto& m : memories.memories)
    if (data::is_on_host(m.get())) {
      add("host", "host", *m, settings.depth * std::max(1u, settings.workers));
      break;
    }
  if (devices)
    for (const auto& d : devices->all()) {
      execution_place& at = add(d->name(), d->is().about().backend, *memories.find(d->memory()), settings.depth);
      at.kind = kind_of(d->is().about().kind);
      at.device = d.get();
      at.processor = d->processor();
    }
  const auto add_memory = [&](std::string_view name, std::string_view kind, place where) {
    execution_place at = execution_place_of(name, kind, *memories.find(where), 0);
    at.view.index = s->memories();
    return at;
  };
  if (devices)
    for (const auto& d : devices->all())
      if (d->host_memory()) {
        data::memory_space& m = *memories.find(d->host_memory());
        s->shared_memories.push_back(add_memory(m.name(), d->is().about().backend, m.where()));
        s->shared_memories.back().device = d.get();
      }
  if (settings.spill) s->spill = add_memory("spill", "file", settings.spill);
  if (devices && !settings.speeds.empty()) {  // the host alone has no choice
    std::string warning;
    s->speeds_file = settings.speeds;
    s->measured = load_speeds(settings.speeds, warning);
    if (!warning.empty()) s->warn(warning);
  }
  s->clock = settings.clock;
  s->ns_per_tick = s->clock ? 1 : trace::clock::calibrate().ns_per_tick;
  constexpr double most_short_ns = 300;  // about the time to hand a kernel over to a worker and to pick up another
  s->short_launches.set_most(static_cast<std::uint32_t>(most_short_ns / s->ns_per_tick));
  s->scheduler = settings.scheduler;
  // With one place, the order of submission is as good as any: the workers' own queues then decide what runs when.
  if (!s->scheduler && s->needs_next_uses())
    s->scheduler = make_device_scheduler(s->has_choice() ? settings.policy : "fifo");
  std::vector<device_view> views;
  for (const execution_place& at : s->execution_places) views.push_back(at.view);
  if (s->scheduler) s->scheduler->start(views);
  s->shared = std::make_shared<shared_objects>(*s);
  runtime.get<data::data_state>(base::floor_slot::data)->attached->shared = s->shared.get();
  runtime.set(base::floor_slot::objects, new std::shared_ptr<objects_state>(std::move(s)));
}

void share_memories_with(base::runtime_context& runtime, clears_memory others) {
  objects_state& s = *state_of(runtime);
  const std::scoped_lock lock(s.mutex);
  s.others = std::move(others);
}

namespace {

/// Whether it is the end of a launch that ended well.
bool is_end_of_launch(const signal& n) noexcept {
  return n.handle == on_task_ended && !n.cause && static_cast<const task_signal&>(n).of.code;
}

}  // namespace

std::vector<device_statistics> statistics_of(const base::runtime_context& runtime) {
  objects_state& s = *state_of(runtime);
  const std::scoped_lock lock(s.mutex);
  std::uint64_t not_counted_yet = 0;  // launches of the host of which the end is not handled yet
  for (const signal* n = s.pending_signals.load(std::memory_order_acquire); n; n = n->next_pending)
    not_counted_yet += is_end_of_launch(*n);
  std::vector<device_statistics> all;
  for (const execution_place& at : s.execution_places) {
    double busy = at.busy_seconds;
    for (const execution_place::first_launch& f : at.first_launches)
      busy += std::min(f.seconds, s.measured.predict(f.speed_number, f.items).value_or(f.seconds));
    all.push_back({std::string(at.view.name), at.computed, busy, at.brought_bytes});
  }
  if (!all.empty()) all.front().launches += not_counted_yet;
  const auto add_memory = [&](const execution_place& at) {
    if (at.brought_bytes > 0) all.push_back({std::string(at.view.name), 0, 0, at.brought_bytes});
  };
  std::ranges::for_each(s.shared_memories, add_memory);
  if (s.spill) add_memory(*s.spill);
  return all;
}

void stop_objects(base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<objects_state>>(base::floor_slot::objects);
  if (!slot) return;
  const std::shared_ptr<objects_state> s = std::move(*slot);
  s->shared->clear();
  if (!s->speeds_file.empty() && !s->speed_numbers.empty()) {
    std::string warning;
    if (!save_speeds(s->measured, s->speeds_file, warning)) s->warn(warning);
  }
  delete slot;
  runtime.set(base::floor_slot::objects, nullptr);
  std::vector<task*> tasks;
  std::vector<object_record*> unowned_objects;
  {
    const std::scoped_lock lock(s->mutex);
    s->runtime = nullptr;
    s->warn = nullptr;
    s->pending_signals.store(nullptr, std::memory_order_relaxed);
    tasks.swap(s->tasks);
    unowned_objects.swap(s->unowned_objects);
  }
  // Tasks that have not ended waited for events that nobody triggered. Objects live on as handles that refer to nothing
  // here.
  for (task* const t : tasks) recycle()(t);
  const std::scoped_lock lock(s->mutex);
  for (object_record* const o : unowned_objects) delete o;
}

}  // namespace stretto::objects
