// findings.hpp - the findings of `stretto doctor` on a machine, as plain values: tests use fake machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stretto::doctor {

enum class packager { none, apt, dnf, pacman, zypper };

/// Optional programs and libraries.
struct pieces_found {
  bool hwloc = false, graphviz = false, perf = false, gdb = false, mpi = false, chromium = false, cuda_driver = false;
  unsigned opencl_platforms = 0;  // files of installed drivers

  friend bool operator==(const pieces_found&, const pieces_found&) = default;
};

/// Absent: unlimited or unknown.
struct limits_found {
  unsigned online_cpus = 0;                 // of the machine
  unsigned allowed_cpus = 0;                // that this process may run on
  std::optional<double> granted_cpus = {};  // by control groups, as time
  std::optional<std::uint64_t> granted_memory = {};
  std::optional<std::uint64_t> memory = {};  // of the machine
  std::optional<std::uint64_t> memlock = {}, stack = {}, processes = {};
  std::optional<std::uint64_t> shared_memory = {};  // bytes of /dev/shm; 0: there is none
  std::optional<std::uint64_t> mappings = {};       // vm.max_map_count
  std::optional<int> overcommit = {};               // vm.overcommit_memory
  std::optional<int> perf_paranoia = {};            // kernel.perf_event_paranoid
  bool membarrier = false;
  std::string huge_pages = {};  // "always", "madvise", "never"; empty: unknown
  std::string governor = {};    // "performance", "powersave", ...; empty: unknown

  friend bool operator==(const limits_found&, const limits_found&) = default;
};

/// Absent: could not be measured here.
struct speeds_found {
  std::optional<double> hand_off = {};        // seconds from one worker to another, through a task bound there
  std::optional<double> spawn_and_wait = {};  // seconds
  std::optional<double> trigger = {};         // seconds to make an event, and to trigger it
  std::optional<double> copy = {};            // bytes per second, of an instance to another, both large

  friend bool operator==(const speeds_found&, const speeds_found&) = default;
};

/// Speeds of the machine without the runtime, measured in the same run. Absent: could not be measured here.
struct yardsticks_found {
  std::optional<double> cycle = {};     // seconds of the processor's clock
  std::optional<double> locked = {};    // seconds of an atomic addition to a line of the core's own
  std::optional<double> transfer = {};  // seconds until what one core wrote is seen by another
  std::optional<double> memcpy = {};    // bytes per second, between the buffers of `copy`

  friend bool operator==(const yardsticks_found&, const yardsticks_found&) = default;
};

/// A device for kernels, or a kind of devices of which none can be used.
struct device_found {
  std::string kind;  // the word for option devices: "opencl"
  std::string name;  // as its driver calls it
  bool is_usable = false;
  std::uint64_t memory = 0;  // bytes
  unsigned units = 0;        // that compute side by side
  bool has_double = true;
  std::string reason, remedy;  // where it cannot be used

  friend bool operator==(const device_found&, const device_found&) = default;
};

enum class trial { not_made, passed, failed };

/// One MPI on this machine; missing parts are empty.
struct mpi_found {
  std::string name = {};                    // "openmpi"
  std::string launcher = {}, library = {};  // paths; the library is Stretto's for this MPI
  std::string looked_in = {};               // for the library
  std::string version = {};                 // of the MPI, known after its library was loaded
  std::string fault = {};                   // why it could not be loaded
  doctor::trial trial = trial::not_made;    // of two processes that exchange a message
  std::string trial_fault = {};
  bool shares_memory = false;  // large messages of these went through it

  friend bool operator==(const mpi_found&, const mpi_found&) = default;
};

struct findings {
  std::string system = {};  // "Debian GNU/Linux 12 (bookworm)"
  std::string processor = {};
  packager packages = packager::none;
  bool is_root = false;
  std::uint64_t max_suspended = 0;  // what the options ask for
  std::uint64_t stack_size = 0;
  pieces_found pieces = {};
  limits_found limits = {};
  std::vector<device_found> devices = {};
  std::vector<mpi_found> mpis = {};
  speeds_found speeds = {};
  yardsticks_found yardsticks = {};
};

}  // namespace stretto::doctor
