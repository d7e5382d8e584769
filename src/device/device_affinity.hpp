// device_affinity.hpp - whether a PCI device is local to the cores that this process may use.
//
// Threads     any; reads files of the system.
#pragma once

#include <filesystem>
#include <string>

namespace stretto::device {

/// `pci`: an address such as "0000:65:00.0", in upper or lower case. True if the location is unknown.
bool is_near_cores(std::string pci, const std::filesystem::path& root = "/");

}  // namespace stretto::device
