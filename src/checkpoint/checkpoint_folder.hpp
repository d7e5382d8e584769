// checkpoint_folder.hpp - a checkpoint's directory, which is replaced as a whole, and its files with their checksums.
//
// Threads     any; one thread at a time works on a directory.
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
  std::string name;  // relative to the directory
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  // The checksum covers all but the last four bytes, which hold the same checksum. That of the whole file would be the
  // same for all files.
  bool excludes_checksum = false;

  template <class Archive>
  friend void fields(Archive& a, archived<file_entry, Archive>& f) {
    a(f.name, f.bytes, f.checksum, f.excludes_checksum);
  }
};

using files::find_complete;
using files::temporary_path_of;
/// Creates the temporary directory, empty; removes one that a killed run left. Throws C01.
void create_temporary_folder(const std::filesystem::path& directory);
/// Writes a file and creates its folders. Throws C01.
file_entry write_file(const std::filesystem::path& root, const std::string& name, std::span<const std::byte> content);
/// The same for a chunk, which ends with the checksum of its other bytes.
file_entry write_chunk(const std::filesystem::path& root, const std::string& name, std::span<const std::byte> content);
file_entry write_text(const std::filesystem::path& root, const std::string& name, std::string_view content);
/// Replaces the directory by the temporary one. Throws C01.
void put_in_place(const std::filesystem::path& directory);

/// C02: the file differs from what was written.
error damaged(const std::filesystem::path& file, const std::string& expected, const std::string& found);
/// Reads a file and verifies it. Throws C02 if it differs, also for an intact chunk of another position or another
/// checkpoint.
std::vector<std::byte> read_file(const std::filesystem::path& root, const file_entry& what);
/// Reads a file without verification. Throws C02 if it cannot be read.
std::vector<std::byte> read_plain_file(const std::filesystem::path& file);

}  // namespace stretto::checkpoints
