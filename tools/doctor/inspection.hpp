// inspection.hpp - inspects this machine; diagnosis.hpp derives the verdicts.
//
// Threads     any; reads files, asks the kernel.
// Cost        a few ms; measure() about half a second.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "doctor/findings.hpp"

namespace stretto::doctor {

/// Everything but speeds.
///   root   where /proc, /sys and /etc are found
///   path   folders of programs, as in $PATH
findings inspect_machine(const std::filesystem::path& root, const std::string& path);

/// Asks the drivers of this machine for devices, through the backends of this build. Opens each for a moment.
std::vector<device_found> find_devices();

/// Each MPI that Stretto supports: the installed parts, and whether its library can be loaded.
///   path        as $PATH
///   mpi_folder  the option of that name
std::vector<mpi_found> find_mpis(const std::string& path, const std::string& mpi_folder);

/// What `stretto doctor --mpi-library FILE` does for find_mpis: opens Stretto's library for an MPI and prints its
/// version, or the fault.
int print_version_of_mpi(const std::string& file);

/// Starts two processes with the launcher of each MPI that is complete, and checks that they exchange a message. About
/// a second for each MPI.
void test_mpis(std::vector<mpi_found>& all, const std::string& path);

struct measured_speeds {
  speeds_found speeds;
  yardsticks_found yardsticks;
};
/// Measures tasks, events and copies of the runtime, and the machine without it; the best of several tries counts.
measured_speeds measure_speeds();

}  // namespace stretto::doctor
