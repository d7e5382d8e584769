// atomic_replacement.hpp - replaces a file or folder as a whole: the caller writes it under a temporary name, and
// put_in_place renames it.
//
// Threads     any; one thread at a time works on a file or folder.
// Invariants  (1) at any time the name denotes the complete old or the complete new data. Exception: on file systems
//             that cannot exchange names, the old folder is only at NAME.previous for a moment. (2) when put_in_place
//             returns, the new data is on disk.
// Source      write, fsync, rename: the usual way; exchange of names: renameat2 of Linux.
#pragma once

#include <stretto/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace stretto::files {

/// Makes the errors that these functions throw; each caller has its own codes.
struct file_errors {
  error (*cannot_write)(const std::filesystem::path& what, int number);  // `number` is an errno
  error (*damaged)(const std::filesystem::path& file, const std::string& expected, const std::string& found);
};
/// The remedy for a failed write: `if_full` if the disk is full, `otherwise` for most other reasons.
std::string remedy_for(int number, const char* if_full, const char* otherwise);

/// The temporary path: "run.ckpt.partial".
std::filesystem::path temporary_path_of(const std::filesystem::path& name);
/// Creates the temporary folder, empty; removes one that a killed run left.
void create_temporary_folder(const std::filesystem::path& name, const file_errors& c);
/// Writes a file to disk and creates its folders.
void write_file(const std::filesystem::path& file, std::span<const std::byte> content, const file_errors& c);
/// Replaces `name` by its temporary file or folder.
void put_in_place(const std::filesystem::path& name, const file_errors& c);
/// The path of the complete data: `name`, or NAME.previous after an interrupted replacement; empty if neither exists.
std::filesystem::path find_complete(const std::filesystem::path& name);

/// Reads a file. A file of more than `most` bytes is reported as damaged before memory is allocated.
std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t most, const file_errors& c);

}  // namespace stretto::files
