#include "base/installed_folders.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>

namespace stretto::base {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  std::error_code none;
  const auto whole = fs::canonical(file, none);
  return none ? fs::path() : whole.parent_path();
}

/// The folders where the system's loader searches for libraries of this program. For a program with the static library,
/// the folder of ours is among them.
std::vector<std::string> run_path() {
  std::vector<std::string> all;
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size;
  if (!program || ::dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return all;
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const list = reinterpret_cast<Dl_serinfo*>(memory.data());
  list->dls_size = size.dls_size, list->dls_cnt = size.dls_cnt;
  if (::dlinfo(program, RTLD_DI_SERINFO, list) == 0)
    for (unsigned i = 0; i < list->dls_cnt; ++i) all.emplace_back(list->dls_serpath[i].dls_name);
  ::dlclose(program);
  return all;
}

}  // namespace

std::vector<std::string> installed_folders() {
  std::vector<std::string> all;
  Dl_info ours;  // of libstretto, or of the program that holds it
  if (::dladdr(reinterpret_cast<const void*>(&installed_folders), &ours) && ours.dli_fname)
    if (const auto folder = folder_of(ours.dli_fname); !folder.empty()) all.push_back((folder / "stretto").string());
  if (const auto folder = folder_of("/proc/self/exe"); !folder.empty())
    all.push_back((folder.parent_path() / STRETTO_LIBRARY_FOLDER / "stretto").string());
  all.emplace_back(STRETTO_BUILD_FOLDER);
  return all;
}

fs::path installed_file(std::string_view name) {
  auto folders = installed_folders();
  for (std::string& more : run_path()) folders.push_back(std::move(more));
  std::error_code none;
  for (const std::string& folder : folders)
    if (const fs::path file = fs::path(folder) / name; fs::is_regular_file(file, none)) return file;
  return {};
}

}  // namespace stretto::base
