// mpi_library.hpp - finds the library for the right MPI: the one that the program uses, else the launcher's, else one that loads.
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

/// What runs, or would: "openmpi", "mpich", or empty where nothing tells.
struct launch_environment {
  std::string program = {};    // the MPI that is loaded in this process
  std::string launcher = {};   // that of the launcher, by the variables that it sets
  std::uint32_t launched = 1;  // processes that it started
  bool has_bootstrap = true;         // anything by which MPI may find them: Slurm tells it only if asked to
};
launch_environment detect_launch_environment();

/// Slurm's "2(x3),1" is 2, 2, 2, 1: tasks or cores of each host. Nothing behind what is no number.
std::vector<std::uint32_t> slurm_counts(const char* said);

/// This process among those that a launcher started on its host, by the variables that it sets; nothing where it does not tell.
std::optional<host_nodes> launched_on_host();

/// The MPIs that Stretto can be built with, in the order of preference.
inline constexpr const char* names[] = {"openmpi", "mpich"};
/// "stretto_mpi_openmpi.so".
std::string library_file(std::string_view name);

/// Where the libraries may lie: in `named` and nowhere else, unless that is empty; else beside libstretto or this program as
/// they are installed, then where they were built, then ("") where the system's loader looks.
std::vector<std::string> library_folders(const std::string& named);

/// Of libraries called stretto_mpi_<name>.so in the folders, the one of the program's MPI, else of the launcher's, else the
/// first that loads. Throws N08 where there is none, with the reason for each.
const calls& load(const launch_environment& here, std::span<const std::string> folders);

/// Throws N20 where Slurm started several processes without anything that MPI could find them by. Before MPI starts: Open MPI would end
/// the process.
void check_bootstrap(const launch_environment& here);

/// Throws N09 where the launcher started several processes that MPI takes for jobs of one each.
void check_launch(const launch_environment& here, const char* library, int size);

}  // namespace stretto::net::mpi
