// private_object.hpp - a program or library of which each rank gets a copy, so that each has its own global variables:
// the changes that a copy needs, and the pages that all copies share.
//
// Threads     does not change after prepare(); any thread may read it.
// Changes     (1) the system's loader must not call constructors and destructors: their entries are taken out, and the
//             rank calls them on its own stack. (2) symbols that are unique in the process (STB_GNU_UNIQUE) become
//             global ones, of which each copy has its own. (3) the name for others (DT_SONAME) is taken out: under it
//             the loader would take another rank's copy for this one. (4) the names of the program's own libraries
//             (DT_NEEDED) are taken out: the program's copy names the copies of its rank instead (program_copy.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ranks/program/elf_file.hpp"

namespace stretto::ranks {

/// Bytes that replace as many others in a copy of the file.
struct patch {
  std::uint64_t offset;  // in the file
  std::string bytes;
};

/// A segment of the file that no copy changes.
struct shared_segment {
  Elf64_Phdr header;
  bool is_read_by_loader;  // the system's loader reads tables there, so a copy needs the bytes until it is loaded
};

/// The bytes of a value, for a patch.
template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class private_object {
 public:
  explicit private_object(std::filesystem::path path) : file_(std::move(path)) {}

  const elf_file& file() const noexcept { return file_; }
  const std::vector<patch>& patches() const noexcept { return patches_; }
  /// Segments that are mapped from the file itself after the copy is loaded, in place of those of the copy.
  const std::vector<shared_segment>& shared_segments() const noexcept { return shared_segments_; }

  /// Finds the changes and the shared segments. `private_names` are those by which the program and its libraries need
  /// the program's own libraries.
  void prepare(const std::vector<std::string>& private_names);

 private:
  /// Changes (1), (3) and (4).
  void change_dynamic(const std::vector<std::string>& private_names);
  void change_unique_symbols();
  void find_shared_segments();
  bool is_changed(const Elf64_Phdr& segment) const;
  /// Whether the system's loader runs code of the object (IFUNC), which must then be in the copy.
  bool runs_while_loading() const;
  bool is_read_by_loader(const Elf64_Phdr& segment) const;

  const elf_file file_;
  std::vector<patch> patches_;
  std::vector<shared_segment> shared_segments_;
};

}  // namespace stretto::ranks
