// benchmarks.hpp - the functions that the table in job_benchmarks.cpp names, by file.
//
// Threads     each is called by the worker of every node of the job, inside run(); node 0 measures, the others serve.
#pragma once

#include <stretto/job.hpp>

#include "common/measure.hpp"

/// The program uses a device; set before its runtime starts, where a benchmark of devices is asked for.
inline bool has_device = false;

inline void need_two() {
  if (stretto::job_nodes() != 2) throw bench::unsupported("start two processes: mpirun -np 2");
}

inline void need_several() {
  if (stretto::job_nodes() < 2) throw bench::unsupported("start two processes or more: mpirun -np 2");
}

// elements.cpp: --size bytes from one node to the other
bench::outcome time_copies(const bench::options&);
bench::outcome time_copies_of_devices(const bench::options&);
bench::outcome count_copied_by_devices(const bench::options&);
bench::outcome time_puts(const bench::options&);
bench::outcome time_objects(const bench::options&);
bench::outcome time_buffers(const bench::options&);
bench::outcome time_shared(const bench::options&);

// events.cpp
bench::outcome time_ring(const bench::options&);
bench::outcome count_fan_out(const bench::options&);
bench::outcome count_fan_in(const bench::options&);
bench::outcome time_levels_of_events(const bench::options&);         // --size is their fan
bench::outcome count_grants_by_chains(const bench::options&);        // --size of them on each node
bench::outcome count_grants_by_reservations(const bench::options&);  // --size of them in all
bench::outcome time_calls(const bench::options&);
bench::outcome count_grants(const bench::options&);

// histograms.cpp: --size is the number of buckets
bench::outcome time_histogram_folds(const bench::options&);
bench::outcome time_histogram_lists(const bench::options&);
bench::outcome time_histogram_automatic(const bench::options&);
bench::outcome time_histogram_localized(const bench::options&);
bench::outcome time_histogram_batches(const bench::options&);
bench::outcome time_histogram_messages(const bench::options&);
bench::outcome time_histogram_single_reductions(const bench::options&);
bench::outcome time_histogram_single_copies(const bench::options&);

// mobile_objects.cpp
bench::outcome time_quiescence(const bench::options&);
bench::outcome compare_near(const bench::options&);
bench::outcome compare_near_in_flood(const bench::options&);
bench::outcome time_migration(const bench::options&);

// circuit.cpp: --size pieces; fluid.cpp: --size cells along each axis; --steps / 20 steps
bench::outcome time_circuit(const bench::options&);
bench::outcome time_circuit_waits(const bench::options&);
bench::outcome time_circuit_barriers(const bench::options&);
bench::outcome time_circuit_reservations(const bench::options&);
bench::outcome time_circuit_lock(const bench::options&);
bench::outcome time_fluid(const bench::options&);
bench::outcome time_fluid_waits(const bench::options&);
bench::outcome time_fluid_barriers(const bench::options&);
bench::outcome sample_fluid(const bench::options&);

// circuit_memories.cpp: --size pieces, at least three, on simulated devices; --steps / 20 steps
bench::outcome time_circuit_mixed(const bench::options&);
bench::outcome time_circuit_on_host(const bench::options&);
bench::outcome time_circuit_on_gpu(const bench::options&);
bench::outcome time_circuit_in_zero_copy(const bench::options&);

// room.cpp: --size patches, --steps / 2 steps
bench::outcome time_room(const bench::options&);
bench::outcome time_room_without_horizons(const bench::options&);
