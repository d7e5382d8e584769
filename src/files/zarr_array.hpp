// zarr_array.hpp - one array as Zarr (version 3) describes it, and its chunks between memory and disk.
//
// Elements of which only the bytes are known are written as "raw_bytes", which is no part of the core; its "r128" is read, too.
// Written are the codecs bytes (little endian), crc32c, and zstd where asked for; big endian and gzip are read, too. What is not known is
// named in an error.
//
// Threads     pure, but for libraries that are looked for once: any.
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
  std::vector<std::int64_t> shape, chunk;  // lengths of axes; none: one element
  std::string type;                        // "float32"; "r128" for 16 bytes of which nothing is known
  std::uint32_t element_bytes = 1;
  std::vector<codec> codecs;               // in the order in which they encode
  std::vector<std::byte> fill = {};        // an element; empty: zeros
  std::vector<std::int64_t> origin = {};   // attributes of ours: what index 0 of each axis is called;
  std::string fields_of = {};              // the type whose fields the bytes are
  std::string prefix = "c";                // of names of chunks
  char separator = '/';
};

/// The text of zarr.json.
std::string text_of(const zarr_array& a);
std::string group_text();
/// The array that a zarr.json tells of. Throws F02 if it is none, F06 for what is not known here; `file` is its name in errors.
zarr_array array_in(std::string_view text, const std::string& file);

/// "c/0/1", within the array's folder.
std::string chunk_name(const zarr_array& a, std::span<const std::int64_t> number);
std::uint64_t bytes_of_chunk(const zarr_array& a);

/// What its file has at most: compression makes what cannot be compressed a little longer.
std::uint64_t most_stored_bytes(const zarr_array& a);

/// The bytes of a file for elements in the order of C. Throws F06 where a library is missing.
std::vector<std::byte> encode(const zarr_array& a, std::vector<std::byte> elements);
/// And back. Throws what `c` says of files that are damaged, F06 as encode.
std::vector<std::byte> decode(const zarr_array& a, std::vector<std::byte> stored, const std::filesystem::path& file, const file_errors& c);

}  // namespace stretto::files
