#include "dist/dist_floor.hpp"

namespace stretto {

namespace dist {
namespace {

/// Of a runtime that is alone: functions called by name run here.
struct alone : dist_state {
  remote_tasks here{nullptr, nullptr};
  alone() { tasks = &here; }
};

dist_state& state_of(const char* verb) { return *base::require_current(verb).runtime->get<dist_state>(base::floor_slot::dist); }

}  // namespace

void start_dist(base::runtime_context& runtime, member* m, node_seen seen) {
  auto* const s = new alone;
  s->seen = seen;
  if (m) {
    s->of = m;
    s->seen = {m->of().self(), m->of().nodes()};
    s->tasks = &m->tasks();
    m->serve(runtime);
  }
  runtime.set(base::floor_slot::dist, static_cast<dist_state*>(s));
}

void stop_dist(base::runtime_context& runtime) noexcept {
  delete static_cast<alone*>(runtime.get<dist_state>(base::floor_slot::dist));
  runtime.set(base::floor_slot::dist, nullptr);
}

void tell_waits(const base::runtime_context& runtime, base::wait_walk& walk) {
  const auto& s = *runtime.get<dist_state>(base::floor_slot::dist);
  if (s.of) s.of->tell_waits(walk);
  s.tasks->tell_asked(walk);
}

void tell_tasks(const base::runtime_context& runtime, base::wait_walk& walk) {
  runtime.get<dist_state>(base::floor_slot::dist)->tasks->tell_asked_for(walk);
}

}  // namespace dist

std::uint32_t this_node() {
  return dist::state_of("this_node").seen.self;
}

std::uint32_t job_nodes() {
  return dist::state_of("job_nodes").seen.nodes;
}

namespace detail {

completion& spawn_remote(const remote_request& request, const remote_function_type& function, const parcel& arguments,
                         std::size_t value_bytes, const task_type& type, value_reader read, const std::source_location& where) {
  return dist::state_of("async").tasks->spawn(request, function, arguments, value_bytes, type, read, where);
}

}  // namespace detail
}  // namespace stretto
