#include <dlfcn.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <stretto/error.hpp>
#include <string_view>
#include <vector>

#include "base/child_process.hpp"
#include "doctor/inspection.hpp"
#include "doctor/mpi_trial.hpp"
#include "job/launcher_discovery.hpp"
#include "job/launcher_process.hpp"
#include "net/mpi/mpi_calls.hpp"

namespace stretto::doctor {
namespace {

constexpr int most_seconds = 30;  // of a trial

// What `stretto doctor --mpi-library FILE` prints.
constexpr std::string_view version_is = "version ", fault_is = "fault ";

std::string first_line_of(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

/// Its version, or why it could not be loaded: a process of its own opens it, since a broken library would end this
/// one.
void load(mpi_found& m) {
  const auto end = base::run_child({.arguments = {job::own_path(), "doctor", "--mpi-library", m.library},
                                    .limit = std::chrono::seconds(most_seconds)});
  const std::string said = first_line_of(end.output);
  if (said.starts_with(version_is)) m.version = said.substr(version_is.size());
  else if (said.starts_with(fault_is)) m.fault = said.substr(fault_is.size());
  else m.fault = "a trial program that opened it " + end.to_text();
}

/// The last line that reports a fault, without its prefix.
std::string reason_in(const std::string& errors) {
  std::string reason;
  std::string_view left = errors;
  while (!left.empty()) {
    const auto line = left.substr(0, left.find('\n'));
    if (line.starts_with("error ") || (reason.empty() && !line.empty() && line.find("-----") == line.npos))
      reason = line;
    if (line.starts_with("error ")) break;
    left.remove_prefix(std::min(left.size(), line.size() + 1));
  }
  return reason;
}

void try_one(mpi_found& m, const std::string& path) {
  auto here = job::detect_host_environment(path);
  here.srun.clear();  // the MPI's own launcher is tried
  here.mpis = {{m.name, m.launcher, m.library}};
  const auto own = job::own_path();
  std::string output, errors;
  const job::watch_options how{.errors = [&](std::string_view text) { errors += text; },
                               .output = [&](std::string_view text) { output += text; },
                               .most_seconds = most_seconds};
  m.trial = trial::failed;
  try {
    const auto folder = m.library.substr(0, m.library.rfind('/'));
    const auto end =
        job::run_launcher(job::plan_of({.nodes = 2, .mpi = m.name}, here),
                          {own, "run", "--as-node", "--", own, "doctor", "--exchange", "--mpi-folder", folder}, how);
    if (end.ended_by_signal) m.trial_fault = "nothing happened for " + std::to_string(most_seconds) + " s";
    else if (output.find(exchanged) != output.npos && end.exit_code == 0) m.trial = trial::passed;
    else if (const auto reason = reason_in(errors); !reason.empty()) m.trial_fault = reason;
    else if (!end.nodes.empty()) m.trial_fault = "a process " + job::to_text(end.nodes.front());
    else m.trial_fault = "the launcher ended with exit code " + std::to_string(end.exit_code);
    m.shares_memory = m.trial == trial::passed && output.find(shares_memory) != output.npos;
    if (m.trial == trial::passed && output.find(takes_cuda) != output.npos)
      m.version += std::string(" (") + takes_cuda + ")";
  } catch (const error& e) {
    m.trial_fault = first_line_of(e.what());
  }
}

}  // namespace

int print_version_of_mpi(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const auto ask = library ? reinterpret_cast<net::mpi::entry>(::dlsym(library, net::mpi::entry_name)) : nullptr;
  std::string text;
  if (!ask) {
    text = fmt::format("{}{}", fault_is, ::dlerror());
  } else if (ask()->version != net::mpi::calls_version) {
    text = fmt::format("{}{} is built for another version of Stretto", fault_is, file);
  } else {
    const auto said = first_line_of(ask()->library());
    text = fmt::format("{}{}", version_is, said.substr(0, said.find(',')));
    std::ranges::replace(text, '\t', ' ');
  }
  fmt::print("{}\n", text);
  return 0;
}

std::vector<mpi_found> find_mpis(const std::string& path, const std::string& mpi_folder) {
  std::vector<mpi_found> all;
  for (const job::mpi_found& seen : job::find_mpis(path, mpi_folder)) {
    mpi_found& m = all.emplace_back();
    m.name = seen.name;
    m.launcher = seen.launcher;
    m.library = seen.library;
    m.looked_in = seen.looked_in;
    if (!m.library.empty()) load(m);
  }
  return all;
}

void test_mpis(std::vector<mpi_found>& all, const std::string& path) {
  for (mpi_found& m : all)
    if (m.fault.empty() && !m.library.empty() && !m.launcher.empty()) try_one(m, path);
}

}  // namespace stretto::doctor
