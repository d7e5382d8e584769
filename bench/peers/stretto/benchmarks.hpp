// benchmarks.hpp - the functions that the table in stretto.cpp names, by file.
//
// Threads     each is called by worker 0, inside run(); those of whole_runtime.cpp by a thread of no runtime.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "common/measure.hpp"

namespace stretto {
class runtime;
}

// fork_join.cpp
bench::outcome time_fib(const bench::options&);
bench::outcome time_empty(const bench::options&);
bench::outcome time_spawn_wait(const bench::options&);
bench::outcome time_uts(const bench::options&);
bench::outcome time_uts_tasks(const bench::options&);

// dependences.cpp
bench::outcome time_chain(const bench::options&);
bench::outcome time_handoff(const bench::options&);
bench::outcome measure_pending_bytes(const bench::options&);
bench::outcome measure_many_tasks(const bench::options&);

// task_graphs.cpp
bench::outcome time_taskbench(const bench::options&);
bench::outcome time_taskbench_static(const bench::options&);

// task_blocks.cpp
bench::outcome time_taskbench_blocks(const bench::options&);
void bind_workers(const bench::options&);  // to a core each, as mpirun binds ranks

// events.cpp
bench::outcome time_event_chain(const bench::options&);
bench::outcome time_event_link(const bench::options&);
bench::outcome time_event_trigger(const bench::options&);
bench::outcome time_event_merge(const bench::options&);
bench::outcome time_event_fan_out(const bench::options&);
bench::outcome count_event_fan(const bench::options&);

// reservations.cpp
bench::outcome count_uncontended_grants(const bench::options&);
bench::outcome count_chained_grants(const bench::options&);
bench::outcome time_barrier(const bench::options&);

// elements.cpp
bench::outcome time_copy(const bench::options&);
bench::outcome time_copy_chain(const bench::options&);
bench::outcome compare_large_copy(const bench::options&);
bench::outcome time_instance(const bench::options&);

// objects.cpp
bench::outcome time_launch_of_none(const bench::options&);
bench::outcome time_readers_of_one(const bench::options&);
bench::outcome time_chain_on_one(const bench::options&);
bench::outcome time_readers_of_three(const bench::options&);
bench::outcome time_chain_on_three(const bench::options&);

// devices.cpp: on the first OpenCL device
bench::outcome time_series_plain(const bench::options&);
bench::outcome time_series_records(const bench::options&);
bench::outcome time_series_pool(const bench::options&);
bench::outcome time_series_locked(const bench::options&);
bench::outcome time_series_threads(const bench::options&);
bench::outcome time_series_into(const bench::options&);
bench::outcome time_series_tiled(const bench::options&);
bench::outcome compare_together(const bench::options&);
bench::outcome time_chain_with_threads(const bench::options&);
bench::outcome time_series_overlap(const bench::options&);
bench::outcome time_series_copies(const bench::options&);
bench::outcome time_series_streams(const bench::options&);
bench::outcome time_series_on_device(const bench::options&);
bench::outcome time_chain_on_device(const bench::options&);
bench::outcome time_chain_on_instance(const bench::options&);
bench::outcome time_recorded_chain(const bench::options&);
bench::outcome time_copies_to_device(const bench::options&);

/// In a runtime with that device, under these options.
void with_device(int workers, const std::vector<std::pair<const char*, const char*>>& options,
                 const std::function<void(stretto::runtime&)>& body);

// device_kernels.cpp: on the same device
bench::outcome compare_device_update(const bench::options&);
bench::outcome compare_device_stencil(const bench::options&);
bench::outcome compare_device_space(const bench::options&);
bench::outcome compare_device_product(const bench::options&);
bench::outcome compare_device_tiles(const bench::options&);
bench::outcome compare_device_sums(const bench::options&);

// host_kernels.cpp
bench::outcome compare_host_stencil(const bench::options&);
bench::outcome compare_host_wave(const bench::options&);
bench::outcome compare_host_product(const bench::options&);
bench::outcome compare_host_tiles(const bench::options&);
bench::outcome compare_host_sum(const bench::options&);

// simulated_devices.cpp: --size is the number of devices, of steps, and of tiles along a side; without that backend
// no_simulated_devices.cpp says so
bench::outcome speed_up_of_series(const bench::options&);
bench::outcome speed_up_of_series_on_one_bus(const bench::options&);
bench::outcome speed_up_of_wave(const bench::options&);
bench::outcome speed_up_of_demo(const bench::options&);
bench::outcome speed_up_of_wave_on_one_bus(const bench::options&);
bench::outcome compare_wave_beyond_memory(const bench::options&);
bench::outcome compare_product_beyond_memory(const bench::options&);

// reductions.cpp: the method is the last part of the benchmark's name
bench::outcome time_histogram_dense(const bench::options&);
bench::outcome time_histogram_sparse(const bench::options&);
bench::outcome time_reduction_density(const bench::options&);

// circuit.cpp
bench::outcome sample_circuit(const bench::options&);

// whole_runtime.cpp
bool needs_no_runtime(const std::string& bench);
bench::outcome time_startup(const bench::options&);
bench::outcome time_shutdown(const bench::options&);
bench::outcome measure_idle_share(const bench::options&);
bench::outcome measure_two_runtimes(const bench::options&);

// trace_cost.cpp
bench::outcome time_recorded_span(const bench::options&);
bench::outcome measure_recorded_share(const bench::options&);
bench::outcome time_trace_write(const bench::options&);

// reports.cpp; where the command is not built, no_reports.cpp says so
bench::outcome time_report(const bench::options&);
bench::outcome measure_report_memory(const bench::options&);

// graphs.cpp: --size is the step of horizons, their breadth or the number of nodes; 0 is without
bench::outcome time_generative_1d(const bench::options&);
bench::outcome time_generative_2d(const bench::options&);
bench::outcome time_generative_3d(const bench::options&);
bench::outcome time_generative_on_nodes(const bench::options&);
bench::outcome time_stencil_on_nodes(const bench::options&);
bench::outcome time_many_on_1(const bench::options&);
bench::outcome time_many_on_16(const bench::options&);
bench::outcome time_many_on_256(const bench::options&);
bench::outcome time_many_in_a_row_on_1(const bench::options&);
bench::outcome time_many_in_a_row_on_16(const bench::options&);
bench::outcome time_many_in_a_row_on_256(const bench::options&);
bench::outcome time_graph_of_chain(const bench::options&);
bench::outcome time_graph_of_soup(const bench::options&);
bench::outcome time_graph_of_expanding_tree(const bench::options&);
bench::outcome time_graph_of_contracting_tree(const bench::options&);
bench::outcome time_graph_of_wave(const bench::options&);
bench::outcome time_graph_of_jacobi(const bench::options&);
bench::outcome time_instructions_of_chain(const bench::options&);  // --size is the number of devices
bench::outcome time_instructions_of_soup(const bench::options&);
bench::outcome time_instructions_of_expanding_tree(const bench::options&);
bench::outcome time_instructions_of_contracting_tree(const bench::options&);
bench::outcome time_instructions_of_wave(const bench::options&);
bench::outcome time_instructions_of_jacobi(const bench::options&);
bench::outcome time_commands_of_wave(const bench::options&);
bench::outcome time_commands_of_bodies(const bench::options&);
bench::outcome measure_horizons(const bench::options&);

// buffers.cpp: --size is the number of launches, the microseconds of a kernel or the number of devices
bench::outcome time_launches_on_buffers(const bench::options&);
bench::outcome time_new_launches_on_buffers(const bench::options&);
bench::outcome time_chain_on_buffers(const bench::options&);
bench::outcome time_callers_of_launches(const bench::options&);
bench::outcome time_callers_that_find_all(const bench::options&);
bench::outcome time_callers_that_hand_over(const bench::options&);
bench::outcome compare_wave_on_buffers(const bench::options&);
bench::outcome compare_bodies_on_buffers(const bench::options&);
bench::outcome measure_horizons_of_wave(const bench::options&);
bench::outcome measure_horizons_of_bodies(const bench::options&);
bench::outcome speed_of_room(const bench::options&);
bench::outcome speed_of_room_without_horizons(const bench::options&);

// node_events.cpp: --size is the fan-in and fan-out
bench::outcome time_levels_of_nodes(const bench::options&);

// node_reservations.cpp: --size is the number of chains of each node, or of reservations; fairness is that of the
// reservations
template <std::uint32_t fairness>
bench::outcome count_grants_of_chains(const bench::options&);
template <std::uint32_t fairness>
bench::outcome count_passes_of_chains(const bench::options&);
template <std::uint32_t fairness>
bench::outcome count_grants_of_reservations(const bench::options&);
template <std::uint32_t fairness>
bench::outcome count_passes_of_reservations(const bench::options&);
