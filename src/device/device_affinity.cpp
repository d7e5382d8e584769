#include "device/device_affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

#include "base/first_line.hpp"

namespace stretto::device {

bool is_near_cores(std::string pci, const std::filesystem::path& root) {
  std::ranges::transform(pci, pci.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  cpu_set_t ours;
  if (pci.empty() || sched_getaffinity(0, sizeof ours, &ours) != 0) return true;
  // "0-15,32-47": the cores nearest to the device; all cores of a machine without NUMA.
  std::istringstream list(base::first_line(root / "sys/bus/pci/devices" / pci / "local_cpulist"));
  bool is_known = false;
  for (std::string range; std::getline(list, range, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (read < 1) continue;
    if (read == 1) last = first;
    is_known = true;
    for (int cpu = std::max(first, 0); cpu <= last && cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &ours)) return true;
  }
  return !is_known;
}

}  // namespace stretto::device
