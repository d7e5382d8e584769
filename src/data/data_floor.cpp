#include "data/data_floor.hpp"

#include <stretto/platform.hpp>

#include <algorithm>
#include <utility>

#include "data/instances.hpp"
#include "data/operation.hpp"
#include "data/staged_copy_queue.hpp"
#include "data/task_executor.hpp"
#include "platform/added_place.hpp"
#include "platform/platform_copy_routes.hpp"

namespace stretto::data {

namespace {
constexpr std::size_t operation_block =
    std::max({sizeof(operation), sizeof(deferred_creation), sizeof(deferred_destruction)});

data_settings completed(data_settings s) {
  if (!s.channels) {
    auto between_hosts = std::make_shared<places::channel_registry>();
    add_host_channels(*between_hosts);
    s.channels = std::move(between_hosts);
  }
  if (!s.tasks) s.tasks = std::make_shared<task_executor>();
  return s;
}

constexpr const char* spill_name = "spill";

// Capacity of a memory without a known size: a file may describe a machine without its sizes.
constexpr std::uint64_t capacity_if_unknown = std::uint64_t{4} << 30;

/// A capacity of 0 bytes means that it is unknown.
std::uint64_t capacity_of(const place_description& memory) noexcept {
  const std::uint64_t said = memory.capacity_bytes.value_or(0);
  return said ? said : capacity_if_unknown;
}
}  // namespace

void start_data(base::runtime_context& runtime, data_settings settings) {
  auto state = std::make_unique<data_state>(runtime, completed(std::move(settings)), operation_block);
  state->copy_engine = std::make_unique<staged_copy_queue>(*state);
  runtime.set(base::floor_slot::data, state.release());
}

place spill_of(const platform& machine) {
  for (const place p : machine.memories())
    if (machine.name(p) == spill_name && machine.kind(p) == place_kind::system_memory) return p;
  return {};
}

place host_memory_of(const platform& machine) {
  const place spill = spill_of(machine);
  for (const place p : machine.memories())
    if (p != spill && (machine.kind(p) == place_kind::system_memory || machine.kind(p) == place_kind::numa)) return p;
  return {};
}

platform with_host_memory(const platform& machine) {
  if (host_memory_of(machine)) return machine;
  platform_description d = machine.describe();
  std::string name = "host memory";
  while (machine.find(name)) name += '+';
  const place made = places::added_place(d, std::move(name), place_kind::system_memory);
  for (const place p : machine.places()) d.links.push_back({p, made, {}, {}});
  return platform::build(std::move(d));
}

platform with_spill(const platform& machine) {
  if (spill_of(machine)) return machine;
  platform_description d = machine.describe();
  const place made = places::added_place(d, spill_name, place_kind::system_memory);
  d.links.push_back({host_memory_of(machine), made, {}, {}});
  return platform::build(std::move(d));
}

void start_data(base::runtime_context& runtime, const platform& machine,
                std::shared_ptr<const places::channel_registry> channels, bool check, device::device_set* devices,
                const host_limits& limits) {
  data_settings settings;
  settings.check = check;
  settings.recycles = limits.recycles;
  settings.device_messages = limits.device_messages;
  settings.devices = devices;
  settings.warn = limits.warn;
  settings.inform = limits.inform;
  settings.channels = std::move(channels);
  // Global memory is one memory, at the first place of that kind; a file may declare several.
  const auto of_all_nodes = machine.places(place_kind::global_memory);
  const place global = of_all_nodes.empty() ? place() : of_all_nodes.front();
  for (const place p : machine.places()) settings.places.push_back({p, machine.name(p), machine.kind(p), 0});
  for (const place p : machine.memories()) {
    const place_description& about = machine.about(p);
    if (device::attached_device* const sharing = devices ? devices->sharing(p) : nullptr)
      settings.memories.push_back(
          {p, about.name, about.kind, sharing->is().about().host_memory_bytes, nullptr, sharing->is().host_memory()});
    else if (!limits.spill.empty() && p == spill_of(machine))
      settings.memories.push_back({.where = p, .name = about.name, .kind = about.kind, .folder = limits.spill});
    else if (p == global && limits.global_bytes)
      settings.memories.push_back({.where = p,
                                   .name = about.name,
                                   .kind = about.kind,
                                   .capacity_bytes = limits.global_bytes,
                                   .first = limits.first_of_global});
    else if (is_host_memory(about.kind))
      settings.memories.push_back(
          {.where = p,
           .name = about.name,
           .kind = about.kind,
           .capacity_bytes =
               std::min(capacity_of(about), limits.memory_bytes ? limits.memory_bytes : ~std::uint64_t{0}),
           .locked_bytes = limits.locked_bytes});
    else if (device::attached_device* const on = devices ? devices->at(p) : nullptr)
      settings.memories.push_back({p, about.name, about.kind, on->is().about().memory_bytes, &on->is()});
  }
  // Operations that need host memory take the first in the list, but a file may declare it behind others.
  std::ranges::stable_partition(
      settings.memories, [main = host_memory_of(machine)](const memory_description& m) { return m.where == main; });
  settings.width = machine.worker_count();
  start_data(runtime, std::move(settings));
}

platform with_copy_routes(const platform& machine, const base::runtime_context& runtime) {
  const data_state& state = *runtime.get<data_state>(base::floor_slot::data);
  std::vector<stop> ends;
  for (const auto& m : state.memories) ends.push_back({m->where(), m->kind()});
  const std::size_t passed = ends.size();
  for (const auto& d : state.distant)
    if (d && !state.find(d->where())) ends.push_back({d->where(), d->kind()});
  ends.push_back({place{}, place_kind::system_memory});  // memory of the program
  auto ways = std::make_shared<places::copy_routes>();
  ways->end_at.assign(machine.place_count(), static_cast<std::uint32_t>(ends.size() - 1));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ways->ends.push_back(ends[i].where);
    ways->is_passed.push_back(i < passed);
    if (ends[i].where) ways->end_at[ends[i].where.index] = static_cast<std::uint32_t>(i);
    for (const stop& target : ends) {
      const auto by = figures_between(ends[i], target, *state.settings.channels).value_or(places::channel_figures{});
      ways->bandwidth.push_back(by.bandwidth_bytes_per_second);
      ways->latency.push_back(by.latency_seconds);
    }
  }
  return places::platform_copy_routes::added(machine, std::move(ways));
}

void stop_data(base::runtime_context& runtime) noexcept {
  delete runtime.get<data_state>(base::floor_slot::data);
  runtime.set(base::floor_slot::data, nullptr);
}

void leave_data(base::thread_context& thread) noexcept {
  auto* share = thread.get<thread_data>(base::floor_slot::data);
  if (!share) return;
  thread.set(base::floor_slot::data, nullptr);
  data_state& state = state_of(thread);
  std::scoped_lock lock(state.mutex);
  std::erase_if(state.shares, [&](const auto& s) { return s.get() == share; });
}

}  // namespace stretto::data
