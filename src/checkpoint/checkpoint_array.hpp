// checkpoint_array.hpp - one array as Zarr (version 3) files: what describes it, and its chunks.
//
// Chunks are cut along axis 0, which is the slowest; the last one is filled up, as the format wants it. Codecs: bytes, little endian, and
// crc32c, which adds four bytes.
//
// Threads     pure, but for the files.
// Source      Zarr core specification, version 3; codec crc32c of the same.
#pragma once

#include <stretto/checkpoint.hpp>

#include <functional>

#include "checkpoint/checkpoint_folder.hpp"
#include "files/zarr_array.hpp"

namespace stretto::checkpoints {

using detail::kept_shape;

inline constexpr std::uint64_t most_chunk_bytes = std::uint64_t{64} << 20;

std::uint64_t elements_of(const kept_shape& s);
files::zarr_array array_of_shape(const kept_shape& s);
std::uint64_t chunks_of(const kept_shape& s, const files::zarr_array& a);
/// "kept/u/c/3/0" for chunk 3 of the array kept/u.
std::string file_of_chunk(const std::string& array, const files::zarr_array& a, std::uint64_t number);
/// Writes chunk `number` of the array, which is filled up with zeros.
file_entry write_chunk_of(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a, std::uint64_t number,
                          std::vector<std::byte> elements);
/// The text of zarr.json.
std::string array_text(const kept_shape& s);
std::string group_text();

/// Writes the array `name`, dense in the order of C; tells of each file.
void write_array(const std::filesystem::path& root, const std::string& name, const kept_shape& s, std::span<const std::byte> content,
                 std::vector<file_entry>& all);
using entry_finder = std::function<file_entry(const std::string& file)>;
/// A chunk's entry, which has as many bytes as a chunk. Throws C02.
file_entry entry_of_chunk(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a, std::uint64_t number,
                          const entry_finder& entry_of);
/// Throws C02 unless there is such an entry for each chunk: before memory is taken for an array that a table tells of.
void require_chunks(const std::filesystem::path& root, const std::string& array, const kept_shape& s, const entry_finder& entry_of);
/// The elements; chunks are looked up by `entry_of`. Throws C02.
std::vector<std::byte> read_array(const std::filesystem::path& root, const std::string& name, const kept_shape& s,
                                  const entry_finder& entry_of);

}  // namespace stretto::checkpoints
