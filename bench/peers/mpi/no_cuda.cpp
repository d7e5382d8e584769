// no_cuda.cpp - where the declarations of CUDA's functions are not at hand.
#include "messages.hpp"

bench::outcome time_nodes_staged_by_cuda(const bench::options&) { throw bench::unsupported("built without CUDA"); }
