// atomic_replacement.hpp - a file or folder that is replaced as a whole: written beside it, then a change of names.
//
// Threads     any; one at a time works on a file or folder.
// Invariants  (1) whenever the program is killed, what is under the name is what was there before or the new one, as a whole, or (of a
//             folder on file systems that cannot exchange names, for a moment) NAME.previous is. (2) what has been put there is on disk.
// Source      write beside, fsync, rename: the usual way; exchange of names: renameat2 of Linux.
#pragma once

#include <stretto/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace stretto::files {

/// How whoever works on files tells what is wrong with them.
struct file_errors {
  error (*cannot_write)(const std::filesystem::path& what, int number);  // as errno has it
  error (*damaged)(const std::filesystem::path& file, const std::string& expected, const std::string& found);
};
/// One remedy for what cannot be written for that reason; `otherwise` for most.
std::string remedy_for(int number, const char* if_full, const char* otherwise);

/// What is written before it takes its place: "run.ckpt.partial".
std::filesystem::path temporary_path_of(const std::filesystem::path& name);
/// Makes a folder there, empty; what a killed run left is gone.
void create_temporary_folder(const std::filesystem::path& name, const file_errors& c);
/// Writes a file to disk, with the folders that it needs.
void write_file(const std::filesystem::path& file, std::span<const std::byte> content, const file_errors& c);
/// What is beside the name takes its place.
void put_in_place(const std::filesystem::path& name, const file_errors& c);
/// What is under the name, or what is left of it where a change of names was cut short; empty if neither is there.
std::filesystem::path find_complete(const std::filesystem::path& name);

/// A file as it is. One of more than `most` bytes is damaged, before memory is taken for it.
std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t most, const file_errors& c);

}  // namespace stretto::files
