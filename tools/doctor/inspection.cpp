#include "doctor/inspection.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/asymmetric_fence.hpp"
#include "base/first_line.hpp"
#include "device/driver_verdict.hpp"
#include "platform/container_limits.hpp"

namespace stretto::doctor {
namespace {

namespace fs = std::filesystem;
using base::first_line;

template <class Number>
std::optional<Number> number_in(const fs::path& file) {
  std::istringstream in(first_line(file));
  Number n;
  if (in >> n) return n;
  return std::nullopt;
}

/// What stands behind `key` and a separator in a file of lines: `PRETTY_NAME="..."`, `model name : ...`.
std::string value_of(const fs::path& file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find(separator);
    if (at == line.npos || !line.starts_with(key)) continue;
    std::string_view value = std::string_view(line).substr(at + 1);
    const auto outer = [](char c) { return c == ' ' || c == '\t' || c == '"'; };
    while (!value.empty() && outer(value.front())) value.remove_prefix(1);
    while (!value.empty() && outer(value.back())) value.remove_suffix(1);
    return std::string(value);
  }
  return {};
}

bool is_program(const std::string& path, std::string_view name) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

bool is_driver(const char* name) {
  if (device::fault_of_driver("cuda", name)) return false;
  void* const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

packager packager_in(const std::string& path) {
  if (is_program(path, "apt-get")) return packager::apt;
  if (is_program(path, "dnf")) return packager::dnf;
  if (is_program(path, "pacman")) return packager::pacman;
  if (is_program(path, "zypper")) return packager::zypper;
  return packager::none;
}

pieces_found look_for_pieces(const fs::path& root, const std::string& path) {
  pieces_found p;
  p.hwloc = is_program(path, "lstopo") || is_program(path, "lstopo-no-graphics");
  p.graphviz = is_program(path, "dot");
  p.perf = is_program(path, "perf");
  p.gdb = is_program(path, "gdb");
  p.mpi = is_program(path, "mpicxx") && is_program(path, "mpirun");
  p.chromium =
      is_program(path, "chromium") || is_program(path, "chromium-browser") || is_program(path, "google-chrome");
  p.cuda_driver = is_driver("libcuda.so.1");
  std::error_code none;
  for (const auto& file : fs::directory_iterator(root / "etc/OpenCL/vendors", none))
    p.opencl_platforms += file.path().extension() == ".icd";
  return p;
}

std::optional<std::uint64_t> soft_limit(__rlimit_resource which) {
  rlimit limit;
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// The word in brackets of "always [madvise] never".
std::string chosen(const std::string& line) {
  const auto open = line.find('['), close = line.find(']');
  return open == line.npos || close == line.npos ? std::string() : line.substr(open + 1, close - open - 1);
}

limits_found look_for_limits(const fs::path& root) {
  limits_found l;
  l.online_cpus = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_set_t set;
  l.allowed_cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : l.online_cpus;
  const auto granted = places::limits_of_this_process(root);
  l.granted_cpus = granted.cpus;
  l.granted_memory = granted.memory_bytes;
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0) l.memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  l.memlock = soft_limit(RLIMIT_MEMLOCK);
  l.stack = soft_limit(RLIMIT_STACK);
  l.processes = soft_limit(RLIMIT_NPROC);
  struct statvfs shm;
  l.shared_memory = statvfs((root / "dev/shm").c_str(), &shm) == 0 ? std::uint64_t{shm.f_blocks} * shm.f_frsize : 0;
  l.mappings = number_in<std::uint64_t>(root / "proc/sys/vm/max_map_count");
  l.overcommit = number_in<int>(root / "proc/sys/vm/overcommit_memory");
  l.perf_paranoia = number_in<int>(root / "proc/sys/kernel/perf_event_paranoid");
  l.membarrier = base::asymmetric::prepare();
  l.huge_pages = chosen(first_line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  l.governor = first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return l;
}

}  // namespace

findings inspect_machine(const fs::path& root, const std::string& path) {
  findings f;
  f.system = value_of(root / "etc/os-release", "PRETTY_NAME", '=');
  f.processor = value_of(root / "proc/cpuinfo", "model name", ':');
  f.packages = packager_in(path);
  f.is_root = geteuid() == 0;
  f.pieces = look_for_pieces(root, path);
  f.limits = look_for_limits(root);
  return f;
}

}  // namespace stretto::doctor
