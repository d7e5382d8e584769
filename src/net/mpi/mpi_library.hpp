// mpi_library.hpp - finds the library for the right MPI: the MPI of the program, else that of the launcher, else any
// that loads.
//
// Threads     before the transport is made.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/mpi/mpi_calls.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

/// The MPI of the program and of the launcher: "openmpi", "mpich", or empty if unknown.
struct launch_environment {
  std::string program = {};    // the MPI that is loaded in this process
  std::string launcher = {};   // the MPI of the launcher, from the variables that it sets
  std::uint32_t launched = 1;  // processes that it started
  bool has_bootstrap = true;   // MPI can find the other processes: Slurm provides PMI or PMIx only if asked to
};
launch_environment detect_launch_environment();

/// Parses Slurm's counts of tasks or cores per host: "2(x3),1" is 2, 2, 2, 1. Stops at the first character that does
/// not belong to it.
std::vector<std::uint32_t> slurm_counts(const char* said);

/// This process among those that the launcher started on its host, from the variables that it sets; nothing if unknown.
std::optional<host_nodes> launched_on_host();

/// The MPIs that Stretto can be built with, in the order of preference.
inline constexpr const char* names[] = {"openmpi", "mpich"};
/// "stretto_mpi_openmpi.so".
std::string library_file(std::string_view name);

/// The folders to search for the libraries: only `named`, if it is not empty. Otherwise the installed folders next to
/// libstretto or this program, then the build folder, then "" for the search path of the system's loader.
std::vector<std::string> library_folders(const std::string& named);

/// Loads stretto_mpi_<name>.so from the folders: for the program's MPI, else for the launcher's, else the first that
/// loads. Throws N08 if none does, with the reason for each.
const calls& load(const launch_environment& here, std::span<const std::string> folders);

/// Throws N20 if Slurm started several processes without a way for MPI to find them. To be called before MPI starts,
/// since Open MPI would end the process.
void check_bootstrap(const launch_environment& here);

/// Throws N09 if the launcher started several processes and MPI sees only one in each.
void check_launch(const launch_environment& here, const char* library, int size);

}  // namespace stretto::net::mpi
