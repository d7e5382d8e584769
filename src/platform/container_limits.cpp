#include "platform/container_limits.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/first_line.hpp"

namespace stretto::places {
namespace {

namespace fs = std::filesystem;
using base::first_line;

void tighten(container_limits& limits, double quota, double period) {
  if (quota <= 0 || period <= 0) return;  // -1: no limit
  limits.cpus = std::min(quota / period, limits.cpus.value_or(quota / period));
}

void tighten(container_limits& limits, const std::string& bytes) {
  std::istringstream in(bytes);
  std::uint64_t n = 0;
  constexpr std::uint64_t unlimited = std::uint64_t{1} << 60;  // version 1 writes a huge number for no limit
  if (in >> n && n > 0 && n < unlimited) limits.memory_bytes = std::min(n, limits.memory_bytes.value_or(n));
}

void read_group(container_limits& limits, const fs::path& group) {
  double quota = 0, period = 0;
  if (std::istringstream in(first_line(group / "cpu.max")); in >> quota >> period) tighten(limits, quota, period);
  tighten(limits, first_line(group / "memory.max"));
  std::istringstream old_quota(first_line(group / "cpu.cfs_quota_us")),
      old_period(first_line(group / "cpu.cfs_period_us"));
  if (old_quota >> quota && old_period >> period) tighten(limits, quota, period);
  tighten(limits, first_line(group / "memory.limit_in_bytes"));
}

}  // namespace

container_limits limits_of_this_process(const fs::path& root) {
  container_limits limits;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/a/b", or "0::/a/b" for version 2
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    std::vector<fs::path> mounts;
    if (controllers.empty()) mounts = {root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"};
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      mounts = {root / "sys/fs/cgroup/cpu", root / "sys/fs/cgroup" / controllers};
    else if (controllers == "memory") mounts = {root / "sys/fs/cgroup/memory"};
    // Inside a container the path may be that of the host and not exist here; the groups around it still count.
    for (const auto& mount : mounts)
      for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
        read_group(limits, mount / group);
        if (group.empty()) break;
      }
  }
  return limits;
}

}  // namespace stretto::places
