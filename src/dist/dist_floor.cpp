// dist_floor.cpp - makes the distributed state of a runtime, and defines the public functions that need it:
// this_node(), job_nodes(), calls of functions on other nodes, collective host tasks and their communicators.
//
// Threads     the public functions: any thread of a runtime; on another thread they throw B20.
#include "dist/dist_floor.hpp"

#include <stretto/collective_part.hpp>
#include <stretto/error.hpp>

#include "base/options.hpp"
#include "net/mpi/mpi_library.hpp"
#include "net/mpi/mpi_transport.hpp"

namespace stretto {

namespace dist {
namespace {

/// The state of a runtime. `here` is used only if the runtime is not part of a job: then calls to node 0 run here.
struct alone : dist_state {
  remote_tasks here{nullptr, nullptr};
  alone() { tasks = &here; }
};

/// Of the calling thread's runtime. `verb` is the function that the program has called.
dist_state& state_of(const char* verb) {
  return *base::require_current(verb).runtime->get<dist_state>(base::floor_slot::dist);
}

}  // namespace

void start_dist(base::runtime_context& runtime, job_member* m, node_identity identity) {
  auto* const s = new alone;
  s->identity = identity;
  if (m) {
    s->of = m;
    s->identity = {m->of().self(), m->of().nodes()};
    s->tasks = &m->tasks();
    m->serve(runtime);
  }
  runtime.set(base::floor_slot::dist, static_cast<dist_state*>(s));
}

void stop_dist(base::runtime_context& runtime) noexcept {
  delete static_cast<alone*>(runtime.get<dist_state>(base::floor_slot::dist));
  runtime.set(base::floor_slot::dist, nullptr);
}

void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk) {
  const auto& s = *runtime.get<dist_state>(base::floor_slot::dist);
  if (s.of) s.of->add_wait_edges(walk);
  s.tasks->add_pending_calls(walk);
}

void name_remote_tasks(const base::runtime_context& runtime, base::wait_walk& walk) {
  runtime.get<dist_state>(base::floor_slot::dist)->tasks->name_running_calls(walk);
}

}  // namespace dist

std::uint32_t this_node() { return dist::state_of("this_node").identity.self; }

std::uint32_t job_nodes() { return dist::state_of("job_nodes").identity.nodes; }

namespace detail {

void run_collective_part(const std::function<void()>& f, const std::source_location& where) {
  dist::dist_state& s = dist::state_of("host_task");
  // `f` may block in MPI. A helper thread runs it if MPI allows calls of several threads, else the worker itself.
  if (s.of && s.of->transport().allows_blocking_calls()) s.blocking.run(f, where);
  else f();
}

void copy_communicator(std::uint32_t group, void* communicator, std::size_t bytes, const std::source_location& where) {
  const std::span handle(static_cast<std::byte*>(communicator), bytes);
  dist::dist_state& s = dist::state_of("communicator");
  try {
    if (s.of) return s.of->transport().communicator(group, handle);
    // Not part of a job, so no transport has loaded MPI. The runtime has checked the variables when it was made.
    const auto folder = base::parse_options(base::stretto_environment(), {}).values.mpi_folder;
    const net::mpi::calls& mpi =
        net::mpi::load(net::mpi::detect_launch_environment(), net::mpi::library_folders(folder));
    net::mpi::copy_communicator(mpi, group, handle);
  } catch (error& e) {
    throw std::move(e.fact("requested", where));
  }
}

completion& spawn_remote(const remote_request& request, const remote_function_type& function, const parcel& arguments,
                         std::size_t value_bytes, const task_type& type, value_reader read,
                         const std::source_location& where) {
  return dist::state_of("async").tasks->spawn(request, function, arguments, value_bytes, type, read, where);
}

}  // namespace detail
}  // namespace stretto
