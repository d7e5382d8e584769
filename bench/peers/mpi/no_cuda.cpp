// no_cuda.cpp - replaces staged_cuda.cpp if there are no declarations of CUDA's functions.
#include "messages.hpp"

bench::outcome time_nodes_staged_by_cuda(const bench::options&) { throw bench::unsupported("built without CUDA"); }
