// mpi_trial.hpp - what each of the two processes of an MPI's trial does: twice a message there, with a large payload,
// and one back.
#pragma once

#include <string>

namespace stretto::doctor {

/// What the first process prints once it has the answer.
inline constexpr char exchanged[] = "exchanged";
inline constexpr char shares_memory[] = "through shared memory";
inline constexpr char takes_cuda[] = "takes memory of CUDA devices";

/// Returns the exit code. Throws what loading or starting MPI throws (N06 to N09).
///   mpi_folder  the option of that name
int run_mpi_trial(const std::string& mpi_folder);

}  // namespace stretto::doctor
