// opencl_chain.hpp - StarPU's OpenCL workers, where StarPU was built with them.
#pragma once

#include "common/measure.hpp"

/// Empty kernels on one OpenCL device, each after the one before.
bench::outcome time_chain_on_opencl(const bench::options&);
