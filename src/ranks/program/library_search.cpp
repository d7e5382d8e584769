#include "ranks/program/library_search.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace stretto::ranks {
namespace {

namespace fs = std::filesystem;

constexpr std::array shared_libraries{"ld-linux",   "libc.so",      "libm.so",     "libdl.so",    "libpthread.so",
                                      "librt.so",   "libstdc++.so", "libgcc_s.so", "libc++",      "libgomp",
                                      "libomp",     "libasan.so",   "libtsan.so",  "libubsan.so", "liblsan.so",
                                      "libstretto", "libmvec.so"};
constexpr std::array system_folders{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
constexpr std::array other_mpis{"libmpi.so",      "libmpi_cxx.so", "libmpicxx.so",   "libmpich.so",
                                "libmpichcxx.so", "libmpi_abi.so", "libopen-pal.so", "libmpi++.so"};

template <class Names>
bool begins_as_one_of(std::string_view text, const Names& names) {
  return std::ranges::any_of(names, [&](std::string_view one) { return text.starts_with(one); });
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (std::size_t at; (at = text.find(what)) != text.npos;) text.replace(at, what.size(), with);
  return text;
}

/// Adds the folders of a list separated by colons.
void add_folders(std::vector<fs::path>& all, std::string_view list, const elf_file& by) {
  const auto origin = fs::absolute(by.path()).parent_path().string();
  while (!list.empty()) {
    const auto one = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    if (!one.empty()) all.emplace_back(replaced(replaced(std::string(one), "$ORIGIN", origin), "${ORIGIN}", origin));
  }
}

std::vector<fs::path> folders_for(const elf_file& by) {
  std::vector<fs::path> all;
  const auto run_paths = by.strings_of(DT_RUNPATH);
  if (run_paths.empty())
    for (const auto& list : by.strings_of(DT_RPATH)) add_folders(all, list, by);
  if (const char* const list = std::getenv("LD_LIBRARY_PATH")) add_folders(all, list, by);
  for (const auto& list : run_paths) add_folders(all, list, by);
  return all;
}

bool is_of_system(const fs::path& file) { return begins_as_one_of(file.string(), system_folders); }

}  // namespace

fs::path find_own_library(const std::string& name, const elf_file& by) {
  std::error_code none;
  if (begins_as_one_of(fs::path(name).filename().string(), shared_libraries)) return {};
  std::vector<fs::path> candidates;
  if (name.find('/') != name.npos) candidates.emplace_back(name);
  else
    for (const auto& folder : folders_for(by)) candidates.push_back(folder / name);
  for (const auto& one : candidates)
    if (const auto file = fs::canonical(one, none); !none && fs::is_regular_file(file, none))
      return is_of_system(file) ? fs::path() : file;
  return {};
}

bool belongs_to_other_mpi(std::string_view library) noexcept { return begins_as_one_of(library, other_mpis); }

std::string_view mpi_with_symbol(std::string_view symbol) noexcept {
  if (symbol.starts_with("ompi_")) return "Open MPI";
  if (symbol.starts_with("MPIR_") || symbol.starts_with("MPII_") || symbol == "MPI_F_STATUS_IGNORE" ||
      symbol == "MPI_F_STATUSES_IGNORE")
    return "MPICH";
  return {};
}

}  // namespace stretto::ranks
