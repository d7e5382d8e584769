// no_opencl.cpp - replaces staged_opencl.cpp if there is no OpenCL.
#include "messages.hpp"

bench::outcome time_nodes_staged(const bench::options&) { throw bench::unsupported("OpenCL was not found"); }
