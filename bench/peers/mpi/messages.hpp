// messages.hpp - messages between ranks with plain MPI.
//
// Threads     one per rank.
#pragma once

#include "common/measure.hpp"

/// A message there and one back through receives that are posted before; half of that.
bench::outcome time_nodes_latency(const bench::options&);
/// The same as it is usually written: MPI_Send and MPI_Recv.
bench::outcome time_nodes_pingpong(const bench::options&);
/// The same between buffers of an OpenCL device of each rank, staged through memory of the host.
bench::outcome time_nodes_staged(const bench::options&);
/// Between buffers of the first CUDA device, through page-locked memory.
bench::outcome time_nodes_staged_by_cuda(const bench::options&);
/// Messages from one rank to the other, into a ring of receives that are posted before.
bench::outcome count_nodes_flood(const bench::options&);
/// Nanoseconds for each value of a histogram of --size buckets (common/histogram.hpp).
bench::outcome time_nodes_histogram(const bench::options&);
/// The same with an MPI_Accumulate for each value, of fewer values.
bench::outcome time_nodes_histogram_accumulate(const bench::options&);
/// The same problem grown with the ranks: --size cubed cells for each.
bench::outcome count_nodes_jacobi_weak(const bench::options&);
/// Cells per second of the demo jacobi3d's problem, a block for each rank: --size cells along each axis, --steps / 20
/// steps.
bench::outcome count_nodes_jacobi(const bench::options&);
/// Cells per second of heat on three levels of refinement, --size cells along each axis of a level, --steps / 20 steps.
bench::outcome count_nodes_heat(const bench::options&);
