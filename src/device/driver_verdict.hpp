// driver_verdict.hpp - whether a driver can be opened safely: a driver that aborts, exits or hangs would end or
// block this program.
//
// A separate program (probe/driver_probe.cpp) opens each driver first and has 20 s for it. The verdict is remembered
// in this process for good. It is also stored in files for all processes, until the driver's files, the environment
// or the boot of the system change; for a broken driver at most an hour. Without an installed probe, drivers are
// opened untested.
//
// Threads     any.
// Cost        once per machine: opening the driver in a new process. Then a few file reads per process and driver.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::device {

struct driver_fault {
  std::string driver;  // the library; for OpenCL the driver's file in /etc/OpenCL/vendors, if known
  std::string reason;  // how the probe ended
};

struct driver_trial {
  std::filesystem::path program;            // the probe; empty: none is installed
  std::filesystem::path folder;             // folder of stored verdicts; empty: none are stored
  std::chrono::milliseconds limit{20'000};  // time limit of the probe
};

/// Probes a driver, or reads the stored verdict. Returns nothing if the driver works.
///   kind   "opencl" or "cuda"
std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library, const driver_trial& how);

/// The same with the installed probe and this user's folder. Probes once per process and library.
std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library);

/// Removes the stored verdicts of this user, so that `stretto doctor` probes drivers anew.
void forget_driver_verdicts();

}  // namespace stretto::device
