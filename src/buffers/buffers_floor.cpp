#include "buffers/buffers_floor.hpp"

#include "buffers/buffers_state.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"

namespace stretto::buffers {

const std::shared_ptr<buffers_state>& state_of(const base::runtime_context& runtime) noexcept {
  return *runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
}

void start_buffers(base::runtime_context& runtime, device::device_set* devices, const buffers_settings& settings) {
  const data::data_state& memories = *runtime.get<data::data_state>(base::floor_slot::data);
  graph::node_shape shape;
  execution::site_list sites;
  if (devices)
    for (const auto& d : devices->all()) {
      sites.push_back({d->processor(), d->memory()});
      shape.devices.push_back(static_cast<graph::memory_number>(sites.size()));
    }
  for (const auto& m : memories.memories)
    if (data::is_on_host(m.get())) {
      sites.push_back({{}, m->where()});
      break;
    }
  const data::other_nodes* const others = memories.others;
  auto s = std::make_shared<buffers_state>(runtime, others ? others->self() : 0, others ? others->nodes() : 1, std::move(shape), std::move(sites),
                                           settings.measures);
  s->check = settings.check;
  if (s->commands.self() == 0) s->warnings.to(settings.warn);
  runtime.set(base::floor_slot::buffers, new std::shared_ptr<buffers_state>(std::move(s)));
}

void stop_measuring(base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  if (!slot) return;
  const holding held(**slot);
  (*slot)->weights.end();
}

void stop_buffers(base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  if (!slot) return;
  {
    const holding held(**slot);
    (*slot)->runtime = nullptr;
    // Functions that own buffers, which own this.
    (*slot)->known_mappings.clear();
    (*slot)->nodes_loads = {};
    (*slot)->commands.forget_shapes();
  }
  delete slot;
  runtime.set(base::floor_slot::buffers, nullptr);
}

}  // namespace stretto::buffers
