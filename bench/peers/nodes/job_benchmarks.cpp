// job_benchmarks.cpp - benchmarks of jobs over MPI: runtimes in two processes; in one to four for the relaxation.
//
// Threads     those of a runtime per process, of one worker; `workers` is the number of nodes, which mpirun decides.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "circuit_nodes.hpp"
#include "common/slow_device.hpp"
#include "demo/jacobi3d/run.hpp"
#include "demo/particles/run.hpp"
#include "demo/uts/report.hpp"
#include "demo/uts/search.hpp"
#include "fluid_nodes.hpp"
#include "heat_levels.hpp"
#include "peers/nodes/benchmarks.hpp"

namespace {

using namespace stretto;

enum class problem_size : bool { same, grows };  // with the nodes, along z
constexpr auto on_devices = jacobi3d::cells_on::devices;

/// The demo jacobi3d, so many cuboids for each node: cells per second.
template <std::uint32_t factor, problem_size size = problem_size::same,
          jacobi3d::cells_on where = jacobi3d::cells_on::host>
bench::outcome count_jacobi(const bench::options& o) {
  if (this_node() != 0) return {};
  const auto n = static_cast<std::uint32_t>(o.size), deep = size == problem_size::grows ? n * job_nodes() : n;
  const jacobi3d::report r = jacobi3d::run(
      {.what = {{n, n, deep}, static_cast<std::uint32_t>(o.steps / 20)}, .factors = {factor}, .where = where}, 1);
  return {.value = r.million_cells_per_second(r.runs.front())};
}

/// The time of a program that waits before each operation to that of one that says what has to come first.
/// `program(waits)` returns what it has computed.
template <class F, class T>
bench::outcome compare_deferred(F&& program, const T& expected) {
  std::vector<double> seconds;
  for (const bool waits : {false, true}) {
    const bench::stopwatch clock;
    const T found = program(waits);
    seconds.push_back(clock.seconds());
    if (found != expected) throw bench::wrong_answer("not as a serial run");
  }
  return {.value = seconds[1] / seconds[0]};
}
bench::outcome compare_levels(const bench::options& o) {
  if (this_node() != 0) return {};
  const int n = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  return compare_deferred([&](bool waits) { return heat_levels::on_nodes(n, steps, waits); },
                          heat_levels::serially(n, steps));
}
/// Cells per second, deferred; the peer is plain MPI.
bench::outcome count_heat(const bench::options& o) {
  if (this_node() != 0) return {};
  const int n = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  const bench::stopwatch clock;
  const auto found = heat_levels::on_nodes(n, steps, false);
  const double seconds = clock.seconds();
  if (found != heat_levels::serially(n, steps)) throw bench::wrong_answer("not as a serial run");
  return {.value = double(heat_levels::levels) * n * n * steps / seconds / 1e6};
}
bench::outcome compare_circuit(const bench::options& o) {
  if (this_node() != 0) return {};
  const int steps = static_cast<int>(o.steps / 20);
  const auto c = circuit_nodes::make(static_cast<int>(o.size));
  return compare_deferred([&](bool waits) { return circuit_nodes::on_nodes(c, steps, waits); },
                          circuit_nodes::serially(c, steps));
}
bench::outcome compare_fluid(const bench::options& o) {
  if (this_node() != 0) return {};
  const int width = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  return compare_deferred([&](bool waits) { return fluid_nodes::on_nodes(width, 3, steps, waits); },
                          fluid_nodes::serially(width, steps));
}

/// The demo particles: how much faster it is with a balancer than without, and how evenly the nodes were loaded with
/// it.
particles::report run_particles(const bench::options& o, const char* balancers) {
  const particles::problem what{.count = static_cast<std::uint32_t>(o.size),
                                .steps = static_cast<std::uint32_t>(o.steps / 40)};
  return particles::run(
      {.what = what, .patches = cut_for(what, 128, job_nodes()), .balancers = particles::read_balancers(balancers)}, 1);
}
bench::outcome compare_particles(const bench::options& o) {
  if (this_node() != 0) return {};
  const particles::report r = run_particles(o, "none,hints");
  return {.value = r.gain(r.runs.back())};
}
bench::outcome weigh_particles(const bench::options& o) {
  if (this_node() != 0) return {};
  const particles::report r = run_particles(o, "hints");
  return {.value = particles::summary_of(r.runs.back().loads.of_time, r.warm_up()).mean};
}

/// --tree, searched by the workers of all nodes: nodes of the tree a second.
bench::outcome count_uts(const bench::options& o) {
  if (this_node() != 0) return {};
  const auto& named = uts::tree_named(o.tree);
  const bench::stopwatch clock;
  const uts::nodes_census found = uts::search_over_nodes(named.parameters);
  const double seconds = clock.seconds();
  uts::census all;
  for (const auto& node : found.by_worker) all += uts::sum(node);
  if (all != named.expected) throw bench::wrong_answer("not the published counts of tree " + o.tree);
  return {.value = static_cast<double>(all.nodes) * 1e-6 / seconds};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const auto asks_for = [&](std::string_view what) {
    return std::any_of(argv, argv + argc, [what](std::string_view a) { return a.find(what) != a.npos; });
  };
  // Only where it is asked for: the others are of the host.
  has_device = asks_for("_device");
  const bool between_devices = asks_for("nodes_direct") || asks_for("nodes_bandwidth") || asks_for("circuit_memories");
  const char* const own = between_devices             ? bench::far_device
                          : asks_for("jacobi_device") ? bench::slow_device
                          : has_device                ? "opencl"
                                                      : "none";
  const char* const given = between_devices || has_device ? std::getenv("STRETTO_DEVICES")
                                                          : nullptr;  // "cuda" where there is one: all processes use it
  const char* const devices = given ? given : own;
  if (has_device || asks_for("circuit_memories"))
    setenv("STRETTO_DEVICE_HOST_MEMORY", "256M", 0);  // for what is shared
  if (asks_for("_staged")) setenv("STRETTO_DEVICE_MESSAGES", "0", 1);
  if (asks_for("_unpooled")) setenv("STRETTO_TEST_DEVICE_POOL", "0", 1);
  runtime rt({.workers = 1, .devices = devices});
  const bench::program system{
      .system = "stretto_jobs",
      .entries =
          {{"nodes_latency", "us one way", better::lower, 8, time_copies},
           {"nodes_put", "us one way", better::lower, 8, time_puts},
           {"nodes_put_object", "us one way", better::lower, 8, time_objects},
           {"nodes_put_buffer", "us one way", better::lower, 8, time_buffers},
           {"nodes_put_device", "us one way", better::lower, 8, time_puts},
           {"nodes_put_device_object", "us one way", better::lower, 8, time_objects},
           {"nodes_put_device_buffer", "us one way", better::lower, 8, time_buffers},
           {"nodes_put_device_shared", "us one way", better::lower, 8, time_shared},
           {"nodes_put_device_object_unpooled", "us one way", better::lower, 8, time_objects},
           {"nodes_put_device_buffer_unpooled", "us one way", better::lower, 8, time_buffers},
           {"nodes_direct", "us one way", better::lower, 8, time_copies_of_devices},
           {"nodes_direct_staged", "us one way", better::lower, 8, time_copies_of_devices},
           {"nodes_bandwidth", "GB/s", better::higher, 1 << 20, count_copied_by_devices},
           {"nodes_bandwidth_staged", "GB/s", better::higher, 1 << 20, count_copied_by_devices},
           {"nodes_ring", "us per hop", better::lower, 0, time_ring},
           {"nodes_calls", "us one way", better::lower, 0, time_calls},
           {"nodes_grants", "Mgrants/s", better::higher, 0, count_grants},
           {"nodes_fan_out", "Mtriggers/s", better::higher, 16, count_fan_out},
           {"nodes_fan_in", "Mtriggers/s", better::higher, 16, count_fan_in},
           {"nodes_fan_levels", "us/level", better::lower, 8, time_levels_of_events},
           {"nodes_contenders", "Mgrants/s", better::higher, 32, count_grants_by_chains},
           {"nodes_reservations", "Mgrants/s", better::higher, 8, count_grants_by_reservations},
           {"nodes_histogram_fold", "ns/value", better::lower, 1 << 14, time_histogram_folds},
           {"nodes_histogram_list", "ns/value", better::lower, 1 << 14, time_histogram_lists},
           {"nodes_histogram_automatic", "ns/value", better::lower, 1 << 14, time_histogram_automatic},
           {"nodes_histogram_localize", "ns/value", better::lower, 1 << 14, time_histogram_localized},
           {"nodes_histogram_batches", "ns/value", better::lower, 1 << 14, time_histogram_batches},
           {"nodes_histogram_messages", "ns/value", better::lower, 1 << 14, time_histogram_messages},
           {"nodes_histogram_single_reductions", "ns/value", better::lower, 1 << 14, time_histogram_single_reductions},
           {"nodes_histogram_single_copies", "ns/value", better::lower, 1 << 14, time_histogram_single_copies},
           {"nodes_quiescence", "us", better::lower, 0, time_quiescence},
           {"nodes_near", "ns more than an async", better::lower, 0, compare_near},
           {"nodes_near_flood", "ns more than an async", better::lower, 0, compare_near_in_flood},
           {"nodes_migration", "us", better::lower, 1 << 20, time_migration},
           {"nodes_jacobi", "Mcells/s", better::higher, 96, count_jacobi<1>},
           {"nodes_jacobi_two", "Mcells/s", better::higher, 96, count_jacobi<2>},
           {"nodes_jacobi_four", "Mcells/s", better::higher, 96, count_jacobi<4>},
           {"nodes_jacobi_device", "Mcells/s", better::higher, 96, count_jacobi<1, problem_size::same, on_devices>},
           {"nodes_jacobi_device_two", "Mcells/s", better::higher, 96, count_jacobi<2, problem_size::same, on_devices>},
           {"nodes_jacobi_device_four", "Mcells/s", better::higher, 96,
            count_jacobi<4, problem_size::same, on_devices>},
           {"nodes_jacobi_weak", "Mcells/s", better::higher, 48, count_jacobi<1, problem_size::grows>},
           {"nodes_jacobi_weak_two", "Mcells/s", better::higher, 48, count_jacobi<2, problem_size::grows>},
           {"nodes_jacobi_weak_four", "Mcells/s", better::higher, 48, count_jacobi<4, problem_size::grows>},
           {"nodes_heat", "Mcells/s", better::higher, 96, count_heat},
           {"nodes_levels", "times deferred", better::higher, 96, compare_levels},
           {"nodes_circuit", "times deferred", better::higher, 12, compare_circuit},
           {"nodes_fluid", "times deferred", better::higher, 24, compare_fluid},
           {"nodes_circuit_step", "us/step", better::lower, 12, time_circuit},
           {"nodes_circuit_step_waits", "us/step", better::lower, 12, time_circuit_waits},
           {"nodes_circuit_step_barriers", "us/step", better::lower, 12, time_circuit_barriers},
           {"nodes_circuit_step_reservations", "us/step", better::lower, 12, time_circuit_reservations},
           {"nodes_circuit_step_lock", "us/step", better::lower, 12, time_circuit_lock},
           {"nodes_circuit_memories", "us/step", better::lower, 12, time_circuit_mixed},
           {"nodes_circuit_memories_host", "us/step", better::lower, 12, time_circuit_on_host},
           {"nodes_circuit_memories_gpu", "us/step", better::lower, 12, time_circuit_on_gpu},
           {"nodes_circuit_memories_zero_copy", "us/step", better::lower, 12, time_circuit_in_zero_copy},
           {"nodes_fluid_step", "us/step", better::lower, 24, time_fluid},
           {"nodes_fluid_step_waits", "us/step", better::lower, 24, time_fluid_waits},
           {"nodes_fluid_step_barriers", "us/step", better::lower, 24, time_fluid_barriers},
           {"nodes_fluid_events", "events per slot", better::higher, 24, sample_fluid},
           {"nodes_room", "us/step", better::lower, 256, time_room},
           {"nodes_room_none", "us/step", better::lower, 256, time_room_without_horizons},
           {"nodes_uts", "Mnodes/s", better::higher, 0, count_uts},
           {"nodes_particles", "times without", better::higher, 120'000, compare_particles},
           {"nodes_particles_imbalance", "busiest to mean", better::lower, 120'000, weigh_particles}},
      .out = rt.node() == 0 ? stdout : nullptr};
  return rt.run([&] { return bench::run(system, argc, argv); });
}
