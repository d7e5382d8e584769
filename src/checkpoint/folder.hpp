// folder.hpp - a directory that is replaced as a whole: files written beside it, each with its checksum, then a change of names.
//
// Threads     any; one at a time works on a directory.
// Invariants  (1) whenever the program is killed, the directory is the one before or the new one, as a whole, or (on file systems that
//             cannot exchange names, for a moment) NAME.previous is. (2) what has been put there is on disk.
// Source      write beside, fsync, rename: the usual way; exchange of names: renameat2 of Linux.
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

namespace stretto::checkpoints {

struct file_entry {
  std::string name;  // within the directory
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;

  template <class Archive>
  friend void fields(Archive& a, archived<file_entry, Archive>& f) {
    a(f.name, f.bytes, f.checksum);
  }
};

/// Where files are written before they take its place: "run.ckpt.partial".
std::filesystem::path beside(const std::filesystem::path& directory);
/// Makes it, empty; what a killed run left there is gone. Throws C01.
void begin_beside(const std::filesystem::path& directory);
/// Writes a file, with the folders that it needs. Throws C01.
file_entry write_file(const std::filesystem::path& root, const std::string& name, std::span<const std::byte> content);
file_entry write_text(const std::filesystem::path& root, const std::string& name, std::string_view content);
/// Takes the directory's place. Throws C01.
void put_in_place(const std::filesystem::path& directory);
/// The directory, or what is left of it where a change of names was cut short; empty if neither is there.
std::filesystem::path find_whole(const std::filesystem::path& directory);

/// C02: the file is not what was written.
error damaged(const std::filesystem::path& file, const std::string& expected, const std::string& found);
/// Throws C02 if it is not what was written.
std::vector<std::byte> read_file(const std::filesystem::path& root, const file_entry& what);
/// As it is. Throws C02 if it cannot be read.
std::vector<std::byte> read_any(const std::filesystem::path& file);

}  // namespace stretto::checkpoints
