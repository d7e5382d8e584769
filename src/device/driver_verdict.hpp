// driver_verdict.hpp - whether a driver can be opened at all: one that aborts, exits or hangs would take this program along.
//
// A program of its own opens each driver first (probe/driver_probe.cpp) and has 20 s for it. The verdict is remembered: in this process for
// good, and in files for all processes, until the driver's files, the variables of the environment or the boot of the system change; of a
// broken driver for an hour. Where the probe is not installed, drivers are opened untried.
//
// Threads     any.
// Cost        once per machine what opening the driver costs and a process; then some file reads per process and driver.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::device {

struct driver_fault {
  std::string driver;  // the library that was opened; of OpenCL the driver's file in /etc/OpenCL/vendors where that is known
  std::string reason;  // what happened to the program that tried
};

struct driver_trial {
  std::filesystem::path program;            // the probe; empty: there is none
  std::filesystem::path folder;             // of remembered verdicts; empty: none are kept
  std::chrono::milliseconds limit{20'000};  // of the probe
};

/// Tries a driver, or reads what was found out earlier. Nothing: it answered.
///   kind   "opencl" or "cuda"
std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library, const driver_trial& how);

/// The same with the installed probe and this user's folder; once per process and library.
std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library);

/// Removes what all processes of this user remember: `stretto doctor` tries drivers anew.
void forget_driver_verdicts();

}  // namespace stretto::device
