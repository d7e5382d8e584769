// output_folder.hpp - the folder that pictures go to, checked before any work, and files that are whole or absent.
//
// Threads     not concerned: called before and after the work.
// Errors      W15 the folder cannot be used, W17 a file cannot be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace stretto::wave {

/// Makes sure that files can be written to `folder`: creates it if need be, writes a file and removes it again.
void prepare_output(const std::filesystem::path& folder);

/// Writes a temporary file and renames it, so that no reader sees half a file.
void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace stretto::wave
