// checkpoint_folder.hpp - the directory of a checkpoint, which is replaced as a whole: files, each with its checksum.
//
// Threads     any; one at a time works on a directory.
// Invariants  those of files/atomic_replacement.hpp.
#pragma once

#include <stretto/error.hpp>
#include <stretto/fields.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/atomic_replacement.hpp"

namespace stretto::checkpoints {

struct file_entry {
  std::string name;  // within the directory
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  bool excludes_checksum = false;  // of all but the last four bytes, which are the same checksum: that of a whole such file is always one number

  template <class Archive>
  friend void fields(Archive& a, archived<file_entry, Archive>& f) {
    a(f.name, f.bytes, f.checksum, f.excludes_checksum);
  }
};

using files::temporary_path_of;
using files::find_complete;
/// Makes it, empty; what a killed run left there is gone. Throws C01.
void create_temporary_folder(const std::filesystem::path& directory);
/// Writes a file, with the folders that it needs. Throws C01.
file_entry write_file(const std::filesystem::path& root, const std::string& name, std::span<const std::byte> content);
/// The same of a chunk, whose last four bytes are its own checksum.
file_entry write_chunk(const std::filesystem::path& root, const std::string& name, std::span<const std::byte> content);
file_entry write_text(const std::filesystem::path& root, const std::string& name, std::string_view content);
/// Takes the directory's place. Throws C01.
void put_in_place(const std::filesystem::path& directory);

/// C02: the file is not what was written.
error damaged(const std::filesystem::path& file, const std::string& expected, const std::string& found);
/// Throws C02 if it is not what was written there: a chunk of another place or of another checkpoint is not, though it is whole.
std::vector<std::byte> read_file(const std::filesystem::path& root, const file_entry& what);
/// As it is. Throws C02 if it cannot be read.
std::vector<std::byte> read_plain_file(const std::filesystem::path& file);

}  // namespace stretto::checkpoints
