#include "device/driver_verdict.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "base/child_process.hpp"
#include "base/first_line.hpp"
#include "base/hash.hpp"
#include "base/installed_folders.hpp"
#include "base/process_wide.hpp"
#include "base/whole_file.hpp"

namespace stretto::device {
namespace {

namespace fs = std::filesystem;
constexpr auto broken_for = std::chrono::hours(1);
constexpr std::string_view survived = "survived";

/// Environment variables that differ between processes or terminals and that no driver reads.
bool is_volatile(std::string_view entry) {
  constexpr std::array prefixes{
      "_=",        "PWD=",     "OLDPWD=", "SHLVL=", "TERM",           "COLUMNS=",       "LINES=", "SSH_",
      "WINDOWID=", "STRETTO_", "OMPI_",   "PMI",    "HYDRA",          "MPI_",           "MPIR_",  "MV2_",
      "MVP_",      "PALS_",    "SLURM",   "PRTE",   "INVOCATION_ID=", "JOURNAL_STREAM="};
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return entry.starts_with(p); });
}

/// Size and modification time; 0 if the file does not exist.
std::string state_of(const fs::path& file) {
  std::error_code none;
  const auto time = fs::last_write_time(file, none);
  if (none) return fmt::format("{} 0\n", file.string());
  const auto size = fs::is_regular_file(file, none) ? fs::file_size(file, none) : 0;
  return fmt::format("{} {} {}\n", file.string(), time.time_since_epoch().count(), none ? 0 : size);
}

fs::path vendors_folder() {
  for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"})
    if (const char* const said = std::getenv(variable); said && *said) return said;
  return "/etc/OpenCL/vendors";
}

std::vector<fs::path> vendor_files() {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(vendors_folder(), none))
    if (file.path().extension() == ".icd") all.push_back(file.path());
  std::ranges::sort(all);
  return all;
}

/// Everything that the driver's behaviour may depend on. Another fingerprint means another driver.
std::string fingerprint(std::string_view kind, const std::string& library) {
  std::string text = fmt::format("{} {}\n{}\n", kind, library, base::boot_id());
  std::vector<std::string_view> variables;
  for (char** one = environ; one && *one; ++one)
    if (!is_volatile(*one)) variables.push_back(*one);
  std::ranges::sort(variables);
  for (const std::string_view v : variables) text.append(v).append("\n");
  text += state_of(library) + state_of("/etc/ld.so.cache") + state_of("/proc/driver/nvidia/version");
  if (const char* const folders = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream in(folders);
    for (std::string folder; std::getline(in, folder, ':');) text += state_of(folder);
  }
  text += state_of(vendors_folder());
  for (const fs::path& file : vendor_files()) text += state_of(file) + state_of(base::first_line(file));
  return text;
}

fs::path verdict_file(const fs::path& folder, std::string_view fingerprint) {
  return folder / fmt::format("{:016x}", base::fnv1a(fingerprint));
}

/// The stored verdict: "survived", or driver and reason in two lines. Nothing if there is no valid one.
std::optional<std::string> remembered(const fs::path& file) {
  std::error_code none;
  const auto changed = fs::last_write_time(file, none);
  if (none) return {};
  const auto [text, fault, is_too_large] = base::read_whole(file, 1 << 16);
  if (!fault.empty() || text.empty()) return {};
  if (text != survived && fs::file_time_type::clock::now() - changed > broken_for) return {};
  return text;
}

std::optional<std::string> reason_to_fail(const driver_trial& how, std::string_view kind, const std::string& library,
                                          std::vector<std::string> environment) {
  const auto end = base::run_child({.arguments = {how.program.string(), std::string(kind), library},
                                    .environment = std::move(environment),
                                    .limit = how.limit});
  if (!end.is_started || end.output.find(survived) != std::string::npos) return {};
  std::string line = end.errors.substr(0, end.errors.find('\n'));
  return fmt::format("a trial program that opened it {}{}", end.to_text(), line.empty() ? "" : ": " + line);
}

/// Finds the faulty driver, if the loader has several.
driver_fault blamed(const driver_trial& how, std::string_view kind, const std::string& library, std::string reason) {
  const auto files = kind == "opencl" ? vendor_files() : std::vector<fs::path>();
  if (files.size() == 1) return {files.front().string(), std::move(reason)};
  for (const fs::path& file : files)
    if (auto own = reason_to_fail(how, kind, library, {"OCL_ICD_VENDORS=" + file.string()}))
      return {file.string(), std::move(*own)};
  return {library, std::move(reason)};
}

}  // namespace

std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library,
                                            const driver_trial& how) {
  if (how.program.empty()) return {};
  const fs::path file = how.folder.empty() ? fs::path() : verdict_file(how.folder, fingerprint(kind, library));
  if (const auto known = file.empty() ? std::nullopt : remembered(file)) {
    if (*known == survived) return {};
    const auto end = known->find('\n');
    if (end != std::string::npos) return driver_fault{known->substr(0, end), known->substr(end + 1)};
  }
  std::optional<driver_fault> found;
  if (auto reason = reason_to_fail(how, kind, library, {})) found = blamed(how, kind, library, std::move(*reason));
  if (!file.empty()) {
    std::error_code none;
    fs::create_directories(how.folder, none);
    base::replace_whole(file, found ? found->driver + "\n" + found->reason : std::string(survived));
  }
  return found;
}

std::optional<driver_fault> fault_of_driver(std::string_view kind, const std::string& library) {
  struct verdicts {
    std::mutex mutex;
    std::map<std::string, std::optional<driver_fault>> of;
  };
  static verdicts& known = base::make_process_wide<verdicts>();
  const std::lock_guard lock(known.mutex);
  const auto [at, is_new] = known.of.try_emplace(fmt::format("{} {}", kind, library));
  if (is_new)
    at->second =
        fault_of_driver(kind, library, {base::installed_file("stretto_driver_probe"), base::cache_path("drivers")});
  return at->second;
}

void forget_driver_verdicts() {
  std::error_code none;
  if (const auto folder = base::cache_path("drivers"); !folder.empty()) fs::remove_all(folder, none);
}

}  // namespace stretto::device
