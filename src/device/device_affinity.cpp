#include "device/device_affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/first_line.hpp"

namespace stretto::device {

std::vector<unsigned> processors_near(std::string pci, const std::filesystem::path& root) {
  constexpr unsigned most_processors = 1 << 16;
  std::ranges::transform(pci, pci.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<unsigned> all;
  if (pci.empty()) return all;
  // "0-15,32-47"
  std::istringstream list(base::first_line(root / "sys/bus/pci/devices" / pci / "local_cpulist"));
  for (std::string range; std::getline(list, range, ',');) {
    unsigned first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%u-%u", &first, &last);
    if (read == 1) last = first;
    for (unsigned cpu = first; read >= 1 && cpu <= last && cpu < most_processors; ++cpu) all.push_back(cpu);
  }
  return all;
}

bool is_near_cores(std::string pci, const std::filesystem::path& root) {
  cpu_set_t ours;
  const std::vector<unsigned> near = processors_near(std::move(pci), root);
  if (near.empty() || sched_getaffinity(0, sizeof ours, &ours) != 0) return true;
  return std::ranges::any_of(near, [&](unsigned cpu) { return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &ours); });
}

}  // namespace stretto::device
