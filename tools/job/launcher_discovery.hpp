// launcher_discovery.hpp - what is here to start nodes with.
//
// Threads     any; reads the environment, asks the kernel, runs `mpirun --version` where the name does not tell whose
//             it is, and `srun --mpi=list`.
#pragma once

#include <string>
#include <vector>

#include "job/launch_plan.hpp"

namespace stretto::job {

/// The program of that name in folders like those of $PATH; a name with a slash is a path itself. Empty if there is
/// none that may be run.
std::string find_program(const std::string& name, const std::string& path);

/// Everything but which MPIs there are.
///   path        as $PATH
host_environment detect_host_environment(const std::string& path);

/// Each MPI that Stretto knows.
///   mpi_folder  the option of that name
std::vector<mpi_found> find_mpis(const std::string& path, const std::string& mpi_folder);

/// Where this command itself is.
std::string own_path();

}  // namespace stretto::job
