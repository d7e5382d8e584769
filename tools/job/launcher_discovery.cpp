#include "job/launcher_discovery.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>

#include "base/options.hpp"
#include "net/mpi/mpi_library.hpp"
#include "platform/container_limits.hpp"

namespace stretto::job {
namespace {

namespace fs = std::filesystem;

bool may_be_run(const std::string& file) {
  struct stat about;
  return ::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

/// What a launcher says when it is asked something, as far as that is needed.
std::string said_by(const std::string& launcher, const char* question) {
  const auto line = fmt::format("'{}' {} 2>&1", launcher, question);
  const std::unique_ptr<FILE, int (*)(FILE*)> out(::popen(line.c_str(), "r"), ::pclose);
  std::array<char, 4096> text;
  return out ? std::string(text.data(), ::fread(text.data(), 1, text.size(), out.get())) : std::string();
}

/// The words of srun's list: its releases say "pmix", "\tpmix" or "srun: pmix".
std::vector<std::string> interfaces_of(const std::string& srun) {
  if (srun.find('\'') != srun.npos) return {};
  std::istringstream said(said_by(srun, "--mpi=list"));
  std::vector<std::string> all;
  for (std::string word; said >> word;) all.push_back(std::move(word));
  return all;
}

bool is_of(const std::string& mpi, const std::string& said) {
  const auto has = [&](const char* word) { return said.find(word) != said.npos; };
  return mpi == "openmpi" ? has("Open MPI") || has("OpenRTE") || has("open-mpi") : has("HYDRA") || has("MPICH");
}

std::string launcher_of(const std::string& mpi, const std::string& path) {
  for (const char* plain : {"mpirun", "mpiexec"})
    if (auto file = find_program(fmt::format("{}.{}", plain, mpi), path); !file.empty()) return file;
  for (const char* plain : {"mpirun", "mpiexec"})
    if (auto file = find_program(plain, path);
        !file.empty() && file.find('\'') == file.npos && is_of(mpi, said_by(file, "--version")))
      return file;
  return "";
}

unsigned cores_of_this_process() {
  cpu_set_t set;
  const int allowed =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto granted = places::limits_of_this_process().cpus;
  const int paid = granted ? static_cast<int>(std::max(1.0, *granted)) : allowed;
  return static_cast<unsigned>(std::max(1, std::min(allowed, paid)));
}

}  // namespace

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != name.npos) return may_be_run(name) ? name : "";
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path(folder) / name; !folder.empty() && !name.empty() && may_be_run(file)) return file;
  return "";
}

host_environment detect_host_environment(const std::string& path) {
  host_environment here;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) here.host = name.data();
  here.cores = cores_of_this_process();
  here.is_root = ::geteuid() == 0;
  if (std::getenv("SLURM_JOB_ID")) here.srun = find_program("srun", path);
  if (!here.srun.empty()) here.interfaces = interfaces_of(here.srun);
  here.has_chosen_interface = std::getenv("SLURM_MPI_TYPE") != nullptr;
  const auto of_hosts = net::mpi::slurm_counts(std::getenv("SLURM_JOB_CPUS_PER_NODE"));
  here.allocated_cores = std::accumulate(of_hosts.begin(), of_hosts.end(), 0u);
  if (const char* hosts = std::getenv("SLURM_JOB_NUM_NODES"))
    here.allocated_hosts = static_cast<std::uint32_t>(std::max(1, std::atoi(hosts)));
  for (const auto& [variable, value] : base::stretto_environment()) here.variables.push_back(variable);
  return here;
}

std::vector<mpi_found> find_mpis(const std::string& path, const std::string& mpi_folder) {
  std::vector<mpi_found> all;
  for (const char* mpi : net::mpi::names) {
    mpi_found& m = all.emplace_back();
    m.name = mpi;
    m.launcher = launcher_of(mpi, path);
    for (const std::string& folder : net::mpi::library_folders(mpi_folder)) {
      const auto file = fs::path(folder) / net::mpi::library_file(mpi);
      if (folder.empty()) continue;  // the loader's own places are for programs that are linked with them
      if (fs::exists(file)) {
        m.library = file;
        break;
      }
      m.looked_in += (m.looked_in.empty() ? "" : ", ") + folder;
    }
  }
  return all;
}

std::string own_path() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).string();
}

}  // namespace stretto::job
