// device_affinity.hpp - whether a device on the host's PCI hangs off the cores that this process may use.
//
// Threads     any; asks the system.
#pragma once

#include <filesystem>
#include <string>

namespace stretto::device {

/// `pci`: "0000:65:00.0", as the system calls it; case does not matter. True where nobody knows.
bool is_near_cores(std::string pci, const std::filesystem::path& root = "/");

}  // namespace stretto::device
