// checkpoint_array.hpp - one array of a checkpoint as Zarr (version 3) files: its description and its chunks.
//
// Chunks divide axis 0, the slowest; the last chunk is padded, as the format requires. Codecs: bytes, little endian,
// and crc32c, which appends four bytes.
//
// Threads     pure, except for file access.
// Source      Zarr core specification, version 3; codec crc32c of the same.
#pragma once

#include <stretto/checkpoint.hpp>

#include <functional>

#include "checkpoint/checkpoint_folder.hpp"
#include "files/zarr_array.hpp"

namespace stretto::checkpoints {

using detail::saved_shape;

inline constexpr std::uint64_t most_chunk_bytes = std::uint64_t{64} << 20;

std::uint64_t elements_of(const saved_shape& s);
files::zarr_array array_of_shape(const saved_shape& s);
std::uint64_t chunks_of(const saved_shape& s, const files::zarr_array& a);
/// "kept/u/c/3/0" for chunk 3 of the array kept/u.
std::string file_of_chunk(const std::string& array, const files::zarr_array& a, std::uint64_t number);
/// Writes chunk `number` of the array, padded with zeros.
file_entry write_chunk_of(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a,
                          std::uint64_t number, std::vector<std::byte> elements);
/// The text of zarr.json.
std::string array_text(const saved_shape& s);
std::string group_text();

/// Writes the array `name`, dense in C order, and appends an entry for each file to `all`.
void write_array(const std::filesystem::path& root, const std::string& name, const saved_shape& s,
                 std::span<const std::byte> content, std::vector<file_entry>& all);
using entry_finder = std::function<file_entry(const std::string& file)>;
/// A chunk's entry. Throws C02 if its size is not that of a chunk.
file_entry entry_of_chunk(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a,
                          std::uint64_t number, const entry_finder& entry_of);
/// Throws C02 unless every chunk has such an entry. Call it before allocating memory for an array that only the table
/// describes.
void require_chunks(const std::filesystem::path& root, const std::string& array, const saved_shape& s,
                    const entry_finder& entry_of);
/// Reads all elements; `entry_of` finds the chunks. Throws C02.
std::vector<std::byte> read_array(const std::filesystem::path& root, const std::string& name, const saved_shape& s,
                                  const entry_finder& entry_of);

}  // namespace stretto::checkpoints
