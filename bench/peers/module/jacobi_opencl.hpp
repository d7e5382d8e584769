// jacobi_opencl.hpp - the relaxation of the demo jacobi3d on a device of each rank, by hand with OpenCL and MPI.
#pragma once

#include "common/measure.hpp"

/// Cells per second of the demo jacobi3d's problem on a simulated device of each rank: --size cells along each axis,
/// --steps / 20 steps.
bench::outcome count_cells_on_devices(const bench::options&);
