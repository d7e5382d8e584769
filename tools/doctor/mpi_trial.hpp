// mpi_trial.hpp - the program of the two processes that test an MPI: two messages with a large payload, and a reply.
#pragma once

#include <string>

namespace stretto::doctor {

/// The first process prints one of these after the reply.
inline constexpr char exchanged[] = "exchanged";
inline constexpr char shares_memory[] = "through shared memory";
inline constexpr char takes_cuda[] = "takes memory of CUDA devices";

/// Returns the exit code. Throws what loading or starting MPI throws (N06 to N09).
///   mpi_folder  the option of that name
int run_mpi_trial(const std::string& mpi_folder);

}  // namespace stretto::doctor
