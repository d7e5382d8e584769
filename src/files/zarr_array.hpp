// zarr_array.hpp - one array in the Zarr (version 3) format: its description, and its chunks between memory and disk.
//
// Elements of an unknown type are written as "raw_bytes", which is not part of the core specification; the core's
// "r128" is also read. The codecs bytes (little endian), crc32c and, on request, zstd are written; big endian and
// gzip are also read. Errors name unsupported features.
//
// Threads     any. Pure, except that compression libraries are loaded once.
// Source      Zarr core specification, version 3, and its codecs bytes, crc32c, gzip and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/atomic_replacement.hpp"

namespace stretto::files {

enum class codec : std::uint8_t { little_endian, big_endian, crc32c, zstd, gzip };

struct zarr_array {
  std::vector<std::int64_t> shape, chunk;  // lengths of axes; empty: a single element
  std::string type;                        // "float32"; "r128" for 16 bytes of unknown type
  std::uint32_t element_bytes = 1;
  std::vector<codec> codecs;              // in encoding order
  std::vector<std::byte> fill = {};       // fill value; empty: zeros
  std::vector<std::int64_t> origin = {};  // our attribute: the coordinate of index 0 on each axis
  std::string fields_of = {};             // our attribute: the type whose fields the bytes hold
  std::string prefix = "c";               // of chunk names
  char separator = '/';
};

/// The text of zarr.json.
std::string text_of(const zarr_array& a);
std::string group_text();
/// Parses a zarr.json. Throws F02 if it is malformed, F06 for unsupported features; `file` is its name in errors.
zarr_array array_in(std::string_view text, const std::string& file);

/// "c/0/1", relative to the array's folder.
std::string chunk_name(const zarr_array& a, std::span<const std::int64_t> number);
std::uint64_t bytes_of_chunk(const zarr_array& a);

/// The largest possible file of a chunk: compression can enlarge incompressible data slightly.
std::uint64_t most_stored_bytes(const zarr_array& a);

/// Encodes elements in C order to the bytes of a file. Throws F06 if a library is missing.
std::vector<std::byte> encode(const zarr_array& a, std::vector<std::byte> elements);
/// Decodes the bytes of a file. Throws the error of `c` for a damaged file, and F06 as encode.
std::vector<std::byte> decode(const zarr_array& a, std::vector<std::byte> stored, const std::filesystem::path& file,
                              const file_errors& c);

}  // namespace stretto::files
