#include "net/mpi/mpi_library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <stretto/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/installed_folders.hpp"

namespace stretto::net::mpi {
namespace {

/// Variables with the number of processes that launchers set, and the MPI of each launcher.
constexpr std::pair<const char*, const char*> process_count_variables[] = {
    {"OMPI_COMM_WORLD_SIZE", "openmpi"}, {"PMI_SIZE", "mpich"}, {"SLURM_STEP_NUM_TASKS", ""}};

/// Variables with the rank of this process on its host and the number of processes there.
constexpr std::pair<const char*, const char*> host_rank_variables[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    // MPICH, Intel MPI
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE"},
    {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"}};

constexpr const char* slurm_remedy =
    "srun --mpi=pmix with Open MPI, srun --mpi=pmi2 with MPICH; `stretto run` chooses by itself";

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* const said = std::getenv(variable);
  if (!said || *said < '0' || *said > '9') return std::nullopt;
  return static_cast<std::uint32_t>(std::atoi(said));
}

/// Whether any variable of PMI, PMI2, PMIx or Open MPI is set.
bool has_bootstrap_variables() {
  for (char** one = environ; *one; ++one)
    for (const std::string_view start : {"PMI_", "PMI2_", "PMIX_", "OMPI_"})
      if (std::string_view(*one).starts_with(start)) return true;
  return false;
}

std::string loaded_in_program() {
  // Every MPI has this function, with the same signature, and allows it before MPI is started. No text exceeds 8192
  // bytes.
  using get_version = int (*)(char*, int*);
  // Not RTLD_DEFAULT: a library that has Stretto and an MPI of its own would find that one.
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  const auto ask = reinterpret_cast<get_version>(::dlsym(program, "MPI_Get_library_version"));
  if (!ask) return "";
  std::vector<char> text(8193);
  int length = 0;
  ask(text.data(), &length);
  return std::string_view(text.data()).find("Open MPI") != std::string_view::npos ? "openmpi" : "mpich";
}

namespace fs = std::filesystem;

}  // namespace

std::string library_file(std::string_view name) { return "stretto_mpi_" + std::string(name) + ".so"; }

std::vector<std::string> library_folders(const std::string& named) {
  if (!named.empty()) return {named};
  std::vector<std::string> all = base::installed_folders();
  all.emplace_back();
  return all;
}

launch_environment detect_launch_environment() {
  launch_environment here;
  here.program = loaded_in_program();
  for (const auto& [variable, name] : process_count_variables)
    if (const char* said = std::getenv(variable); said && std::atoi(said) > 0) {
      here.launcher = name;
      here.launched = static_cast<std::uint32_t>(std::atoi(said));
      here.has_bootstrap = !here.launcher.empty() || has_bootstrap_variables();
      break;
    }
  return here;
}

std::vector<std::uint32_t> slurm_counts(const char* said) {
  constexpr unsigned long most_hosts = 1 << 16;
  std::vector<std::uint32_t> all;
  while (said && *said >= '0' && *said <= '9') {
    char* end = nullptr;
    const auto count = static_cast<std::uint32_t>(std::strtoul(said, &end, 10));
    unsigned long hosts = 1;
    if (end[0] == '(' && end[1] == 'x')
      hosts = std::min(std::strtoul(end + 2, &end, 10), most_hosts), end += *end == ')';
    all.insert(all.end(), hosts, count);
    if (*end != ',') break;
    said = end + 1;
  }
  return all;
}

std::optional<host_nodes> launched_on_host() {
  for (const auto& [rank, size] : host_rank_variables)
    if (const auto self = number_in(rank), count = number_in(size); self && count && *self < *count)
      return host_nodes{*self, *count};
  const auto self = number_in("SLURM_LOCALID");
  const auto counts = slurm_counts(std::getenv("SLURM_STEP_TASKS_PER_NODE"));
  const std::uint32_t host = number_in("SLURM_NODEID").value_or(0);
  if (self && host < counts.size() && *self < counts[host]) return host_nodes{*self, counts[host]};
  return std::nullopt;
}

const calls& load(const launch_environment& here, std::span<const std::string> folders) {
  std::vector<std::string> wanted(std::begin(names), std::end(names));
  if (!here.program.empty()) wanted = {here.program};  // no other one fits the program's own calls
  std::stable_partition(wanted.begin(), wanted.end(), [&](const std::string& n) { return n == here.launcher; });
  error none("N08", here.program.empty() ? "there is no MPI that Stretto can use"
                                         : "Stretto has no library for the MPI of this program, " + here.program);
  for (const std::string& name : wanted) {
    std::string looked_in;
    for (const std::string& folder : folders) {
      const fs::path file = fs::path(folder) / library_file(name);
      if (!folder.empty() && !fs::exists(file)) {
        looked_in += (looked_in.empty() ? "" : ", ") + folder;
        continue;
      }
      // Open MPI's own components look its symbols up among those of the process.
      void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
      const auto ask = library ? reinterpret_cast<entry>(::dlsym(library, entry_name)) : nullptr;
      if (ask && ask()->version == calls_version) return *ask();
      if (!folder.empty())
        none.fact(name, ask ? file.string() + " is built for another version of Stretto" : ::dlerror());
    }
    if (!looked_in.empty()) none.fact(name, "there is no " + library_file(name) + " in " + looked_in);
  }
  none.remedy(
      "install Open MPI or MPICH and build Stretto with it (packages libopenmpi-dev, libmpich-dev), or set "
      "STRETTO_MPI_FOLDER to the folder of its libraries");
  throw none;
}

void check_bootstrap(const launch_environment& here) {
  if (here.launched == 1 || here.has_bootstrap) return;
  throw error("N20", "Slurm started " + std::to_string(here.launched) +
                         " processes without a bootstrap interface (PMI or PMIx) for MPI")
      .because("no variable of PMI or PMIx is set: srun's --mpi is \"none\" here")
      .fact("or", "STRETTO_JOB=mpi starts MPI anyway; with STRETTO_JOB=alone each process is a job of its own")
      .remedy(slurm_remedy);
}

void check_launch(const launch_environment& here, const char* library, int size) {
  if (size != 1 || here.launched == 1) return;
  const bool by_slurm = here.launcher.empty();  // other launchers set variables that name their MPI
  throw error("N09", "the launcher started " + std::to_string(here.launched) + " processes, but MPI sees 1 in each")
      .fact("launcher", by_slurm ? "srun" : here.launcher)
      .fact("MPI", std::string(std::string_view(library).substr(0, std::string_view(library).find('\n'))))
      .remedy(by_slurm ? slurm_remedy
                       : "start the program with `stretto run`, or with the launcher of the same MPI: mpirun.openmpi, "
                         "mpirun.mpich");
}

}  // namespace stretto::net::mpi
