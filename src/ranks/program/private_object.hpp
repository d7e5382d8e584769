// private_object.hpp - a program or library of which each rank gets a copy: what must change in the copy, and which
// pages all copies share.
//
// Threads     does not change; any thread may read it.
// Changes     (1) constructors and destructors are taken out: the loader calls them on the rank's stack. (2) symbols
//             that are one for the process are made one for a copy. (3) the name for others is taken out, so that no
//             other copy is found under it. (4) the names of private libraries are taken out; the program names all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ranks/program/elf_file.hpp"

namespace stretto::ranks {

/// Bytes that replace others in a copy.
struct patch {
  std::uint64_t offset;  // in the file
  std::string bytes;
};

/// A part of the file that no copy changes.
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
  /// Parts that are mapped from the file itself after loading, in place of those of the copy.
  const std::vector<shared_segment>& shared_segments() const noexcept { return shared_segments_; }

  /// Finds the changes. `private_names` are the names by which libraries of the same program are needed.
  void prepare(const std::vector<std::string>& private_names);

 private:
  void change_dynamic(const std::vector<std::string>& private_names);
  void change_unique_symbols();
  void find_shared_segments();
  bool is_changed(const Elf64_Phdr& segment) const;
  bool runs_while_loading() const;
  bool is_read_by_loader(const Elf64_Phdr& segment) const;

  const elf_file file_;
  std::vector<patch> patches_;
  std::vector<shared_segment> shared_segments_;
};

}  // namespace stretto::ranks
