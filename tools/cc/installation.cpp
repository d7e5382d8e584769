#include "cc/installation.hpp"

#include <stretto/error.hpp>

namespace stretto::cc {

namespace fs = std::filesystem;

fs::path installation::include_folder() const { return prefix / STRETTO_INCLUDE_FOLDER; }
fs::path installation::mpi_folder() const { return include_folder() / "stretto_mpi"; }
fs::path installation::acc_folder() const { return include_folder() / "stretto_acc"; }
fs::path installation::library_folder() const { return prefix / STRETTO_LIBRARY_FOLDER; }
fs::path installation::program_object() const { return library_folder() / "stretto" / "program.o"; }
fs::path installation::start_file() const { return library_folder() / "stretto" / "ranks_start"; }

installation find_installation() {
  std::error_code none;
  const auto program = fs::canonical("/proc/self/exe", none);
  for (const auto& prefix : {program.parent_path().parent_path(), fs::path(STRETTO_RANKS_PREFIX)})
    if (const installation tree{prefix}; fs::is_regular_file(tree.program_object(), none)) return tree;
  throw error("W62", "the files that programs of ranks are linked with are missing")
      .fact("expected", installation{program.parent_path().parent_path()}.program_object().string())
      .because("stretto was installed in part, or moved in part")
      .remedy("install stretto again");
}

// The last option wins, so these stand behind the caller's. Functions of the program may be inlined although it is a
// shared object: the linker binds them to the program's own.
std::vector<std::string> compile_options(const installation&) { return {"-fPIC", "-fno-semantic-interposition"}; }

// One copy of Stretto for all ranks: that of the library which runs them.
std::vector<std::string> options_for_tasks(const installation& tree) {
  return {"-I" + tree.include_folder().string(), "-DSTRETTO_VISIBILITY=default"};
}

std::vector<std::string> program_options(const installation& tree) {
  return {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", tree.program_object().string()};
}

std::vector<std::string> library_options(const installation& tree) {
  return {"-L" + tree.library_folder().string(), "-Wl,-rpath," + tree.library_folder().string(), "-lstretto_ranks"};
}

}  // namespace stretto::cc
