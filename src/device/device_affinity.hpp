// device_affinity.hpp - which processors of the system are local to a PCI device.
//
// Threads     any; reads files of the system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::device {

/// The processors that are local to a device; on a machine without NUMA all of them. Empty if the system reports none.
///   pci    an address such as "0000:65:00.0", in upper or lower case
std::vector<unsigned> processors_near(std::string pci, const std::filesystem::path& root = "/");

/// Whether this process may use one of the cores that are local to the device, or the location is unknown.
bool is_near_cores(std::string pci, const std::filesystem::path& root = "/");

}  // namespace stretto::device
