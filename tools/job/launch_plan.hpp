// launch_plan.hpp - the command line of a launcher, computed from options and environment, as values.
//
// Threads     pure functions.
// Invariants  (1) equal options in equal environments give equal plans. (2) a job that cannot be started throws an
//             error with the reason.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stretto::job {

inline constexpr std::uint32_t most_nodes = 65535;  // numbers of nodes have 16 bits

struct host {
  std::string name;
  std::uint32_t nodes = 0;  // on this host; 0: an equal share

  friend bool operator==(const host&, const host&) = default;
};

/// none: the system moves threads as it likes. The others share the cores, or NUMA domains, of a host among its nodes.
enum class binding { none, cores, numa };

struct launch_options {
  std::uint32_t nodes = 1;
  std::vector<host> hosts = {};  // empty: this one, or those of the Slurm allocation
  std::string mpi = {};          // "openmpi", "mpich"; empty: the first that can be used
  binding bind = binding::none;
  std::map<std::string, std::string> variables = {};  // for the nodes, in addition to the inherited ones
};

/// One MPI on this machine. Missing parts are empty.
struct mpi_found {
  std::string name;
  std::string launcher;        // path
  std::string library;         // path of Stretto's library for it
  std::string looked_in = {};  // the folders that were searched for it

  bool is_usable() const { return !launcher.empty() && !library.empty(); }
};

struct host_environment {
  std::string host;    // this one's name
  unsigned cores = 1;  // that this process may use, hardware threads counted each
  bool is_root = false;
  std::string srun = {};                     // path, inside a Slurm allocation
  std::uint32_t allocated_hosts = 1;         // of that allocation
  std::uint32_t allocated_cores = 0;         // of all those hosts; 0: it does not say
  std::vector<std::string> interfaces = {};  // that srun knows to MPI: "pmix", "pmi2"
  bool has_chosen_interface = false;         // the user, for the allocation
  std::vector<mpi_found> mpis = {};
  std::vector<std::string> variables = {};  // names of the STRETTO_ variables that are set
};

struct plan {
  std::string mpi;  // empty: Slurm starts the nodes as it does by itself, whatever their MPI is
  std::map<std::string, std::string> variables;  // for the launcher, in addition to the inherited ones
  std::vector<std::string> command;              // the launcher and its flags; the program goes behind
};

/// Throws W54 (no usable MPI, with the reason for each) and W56 (hosts that cannot hold the nodes).
plan plan_of(const launch_options& wanted, const host_environment& here);

/// "a,b:2" as hosts. Throws W56.
std::vector<host> read_hosts(const std::string& text);

/// As one line for a shell.
std::string to_line(const plan& p, const std::vector<std::string>& program);

}  // namespace stretto::job
