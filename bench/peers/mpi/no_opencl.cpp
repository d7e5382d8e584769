// no_opencl.cpp - where there is no OpenCL to stage from.
#include "messages.hpp"

bench::outcome time_nodes_staged(const bench::options&) { throw bench::unsupported("OpenCL was not found"); }
