#include "buffers/buffers_floor.hpp"

#include <cstdio>
#include <utility>

#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "device/backend.hpp"
#include "objects/objects_floor.hpp"

namespace stretto::buffers {

const std::shared_ptr<buffers_state>& state_of(const base::runtime_context& runtime) noexcept {
  return *runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
}

namespace {

/// The memory without the area at its end for empty instances, which the graph does not manage.
graph::memory_bounds left_to_buffers(std::uint64_t capacity, std::uint64_t grain) {
  const std::uint64_t kept = grains_for_empty_instances * grain;
  return {capacity > kept ? capacity - kept : capacity, grain};
}

}  // namespace

void start_buffers(base::runtime_context& runtime, device::device_set* devices, const buffers_settings& settings) {
  const data::data_state& memories = *runtime.get<data::data_state>(base::floor_slot::data);
  graph::node_shape shape;
  static_assert(device::most_devices < graph::most_memories);
  instruction_executor::execution_places places;
  if (devices)
    for (const auto& d : devices->all()) {
      places.push_back({d->processor(), d->memory()});
      shape.devices.push_back(static_cast<graph::memory_number>(places.size()));
    }
  shape.bounds.resize(places.size() + 1);
  for (std::size_t n = 0; n < places.size(); ++n)
    if (const data::memory_space* const m = memories.find(places[n].memory))
      shape.bounds[n + 1] = left_to_buffers(m->capacity(), m->taken_by(1));
  for (const auto& m : memories.memories)
    if (data::is_on_host(m.get())) {
      places.push_back({{}, m->where()});
      break;
    }
  data::other_nodes* const others = memories.others;
  const bool is_dry = settings.dry.nodes != 0;
  if (settings.dry.devices) {
    shape.devices.clear();
    shape.bounds.assign(1, {});
    for (std::size_t n = 1; n <= settings.dry.devices; ++n) {
      shape.devices.push_back(static_cast<graph::memory_number>(n));
      shape.bounds.push_back(left_to_buffers(settings.dry.memory_bytes, graph::memory_bounds().grain));
    }
  }
  const graph::node_number self = is_dry ? settings.dry.which.front() : others ? others->self() : 0;
  const graph::node_number nodes = is_dry ? settings.dry.nodes : others ? others->nodes() : 1;
  auto s = std::make_shared<buffers_state>(runtime, self, nodes, shape, std::move(places), settings.measures);
  if (is_dry) s->dry = std::make_unique<dry_run>(settings.dry, shape);
  if (!settings.graph.file.empty())
    s->record = std::make_unique<graph_recorder>(settings.graph,
                                                 is_dry ? std::span(settings.dry.which) : std::span(&self, 1), shape);
  if (settings.guard && nodes > 1 && !is_dry) {
    s->guard = settings.guard;
    s->guard->start();
  }
  s->check = settings.check;
  if (settings.warn) s->warn = settings.warn;
  if (settings.learn && !is_dry) {  // kernels of a dry run use no elements
    if (!others || others->nodes() == 1) s->learns = std::make_unique<mapper_learner>();
    else if (s->commands.self() == 0)
      s->warn("STRETTO_CHECK=learn learns nothing on several nodes: run the program on one");
  }
  if (s->commands.self() == 0) s->warnings.to(settings.warn);
  // No pipeline in these modes: learning needs source lines, a dry run executes nothing, and nodes must exchange
  // weights at the same point of the program.
  if (!s->learns && !is_dry && !s->weights.levels().nodes) s->pipeline = settings.pipeline;
  if (s->pipeline != pipeline_mode::off) s->pending = std::make_unique<pending_launches>();
  objects::share_memories_with(runtime, [of = std::weak_ptr(s)](place memory) -> std::optional<event> {
    const std::shared_ptr<buffers_state> buffers = of.lock();
    return buffers ? buffers_state::clear(*buffers, memory, base::require_current("launch")) : std::nullopt;
  });
  runtime.set(base::floor_slot::buffers, new std::shared_ptr<buffers_state>(std::move(s)));
}

std::optional<error> handle_failed_run(base::runtime_context& runtime, const std::exception_ptr& why,
                                       queries_nodes queries, const std::source_location& where) {
  buffers_state& s = *state_of(runtime);
  if (!s.guard) return std::nullopt;
  if (queries == queries_nodes::yes) {
    s.guard->wait_for_verdict(where);
    if (auto differ = s.guard->take_divergence()) return differ;
  }
  std::uint64_t submitted;
  {
    submission_lock lock(s);
    lock.drain(submission_lock::waits::no, where);
    submitted = s.submitted;
  }
  return s.guard->fail(submitted, why, where);
}

std::optional<error> unreported_peer_failure(base::runtime_context& runtime) {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  if (!slot || !(*slot)->guard) return {};
  return (*slot)->guard->unreported((*slot)->submitted);
}

bool has_failed_or_diverged(const base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  return slot && (*slot)->guard && (*slot)->guard->has_failed_or_diverged();
}

bool may_be_caused_by_peers(const base::runtime_context& runtime, const failure& f) noexcept {
  if (!has_failed_or_diverged(runtime)) return false;
  try {
    std::rethrow_exception(f.root().exception());
  } catch (const error&) {
    return true;
  } catch (...) {
    return false;
  }
}

void fail_stuck_waits(base::thread_context& context) {
  if (has_failed_or_diverged(*context.runtime)) state_of(*context.runtime)->guard->fail_stuck_waits(context);
}

void end_program(base::runtime_context& runtime, spmd_guard::ended how) {
  buffers_state& s = *state_of(runtime);
  if (!s.guard) return;
  submission_lock lock(s);
  lock.drain(submission_lock::waits::no, std::source_location::current());
  s.guard->end(how);
}

void stop_measuring(base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  if (!slot) return;
  const buffers_lock held(**slot);
  (*slot)->weights.end();
}

void report_graphs(const base::runtime_context& runtime) {
  buffers_state& s = *state_of(runtime);
  if (s.dry) std::fputs(("stretto: " + s.dry->text() + "\n").c_str(), stderr);
  if (!s.record) return;
  if (s.dry) s.record->set_seconds_per_task(s.dry->seconds_per_task());
  if (const std::string prediction = s.record->prediction(); !prediction.empty())
    std::fputs(("stretto: " + prediction + "\n").c_str(), stderr);
  s.record->write();
}

void stop_buffers(base::runtime_context& runtime) noexcept {
  auto* const slot = runtime.get<std::shared_ptr<buffers_state>>(base::floor_slot::buffers);
  if (!slot) return;
  {
    const buffers_lock held(**slot);
    if ((*slot)->learns) (*slot)->learns->report((*slot)->warn);
    (*slot)->runtime = nullptr;
    // These may contain functions that own buffers, which own this state.
    (*slot)->custom_mappings.clear();
    (*slot)->load_exchange = {};
    if (spmd_guard* const guard = std::exchange((*slot)->guard, nullptr)) guard->stop();
    (*slot)->commands.forget_shapes();
    if ((*slot)->dry) (*slot)->dry->forget_shapes();
  }
  delete slot;
  runtime.set(base::floor_slot::buffers, nullptr);
}

}  // namespace stretto::buffers
