// launcher_discovery.hpp - finds the launchers and MPIs of this machine.
//
// Threads     any; reads the environment, asks the kernel, runs `srun --mpi=list`, and `mpirun --version` if the name
//             does not identify the MPI.
#pragma once

#include <string>
#include <vector>

#include "job/launch_plan.hpp"

namespace stretto::job {

/// The program of that name in folders like those of $PATH; a name with a slash is a path itself. Empty if there is
/// none that may be run.
std::string find_program(const std::string& name, const std::string& path);

/// Everything except the MPIs.
///   path        as $PATH
host_environment detect_host_environment(const std::string& path);

/// Each MPI that Stretto supports.
///   mpi_folder  the option of that name
std::vector<mpi_found> find_mpis(const std::string& path, const std::string& mpi_folder);

/// The path of this command.
std::string own_path();

}  // namespace stretto::job
