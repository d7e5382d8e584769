// buffer_files.hpp - buffers in files, written and read by all nodes together: Zarr arrays, which other tools read, and
// plain bytes.
//
//     auto u = load_zarr<float, 2>("before.zarr");
//     ...
//     save_zarr(u, "after.zarr");                       // goes on behind: later launches may change u at once
//
// Every node calls, as for launches; all nodes see the same file system. Each writes whole chunks of its own, and reads
// the rows that a launch over all elements would have it compute.
//
// Threads     as buffers.
// Memory      what launches before the call wrote is in the file. Files of one job are worked on in the order of the
//             calls.
// Cost        of saving: host memory for a node's share, which is brought there; a chunk for each worker. Every chunk
//             is on disk at the end.
// Invariants  (1) under the name is what was there before or the new content, as a whole, at any time. (2) where one
//             node fails all do, with that node's error.
// Source      Zarr core specification, version 3.
#pragma once

#include <stretto/buffer.hpp>
#include <stretto/future.hpp>
#include <stretto/zarr_type.hpp>

#include <string>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// How the chunks of a Zarr array are compressed.
enum class zarr_compression : std::uint8_t { none, zstd };

/// How save_zarr lays out the array that it writes.
struct zarr_options {
  point chunk = {};  // lengths of chunks; 0: all along the last axes as far as 4 MiB hold, and at least 1
  zarr_compression compression = zarr_compression::none;  // zstd: by libzstd.so.1, which every node has to have
};

namespace detail {

struct file_elements {
  std::string type;  // as Zarr has it
  std::uint8_t dimensions = 1;
  std::uint32_t bytes = 1, alignment = 1;
};
template <class T, std::size_t D>
file_elements elements_in_files() {
  return {zarr_type<T>(), D, sizeof(T), alignof(T)};
}
future<void> save_to_zarr(const buffer_handle& h, const file_elements& of, std::string_view folder,
                          const zarr_options& options, const std::source_location& where);
future<void> save_to_raw(const buffer_handle& h, const file_elements& of, std::string_view file,
                         const std::source_location& where);
buffer_handle load_from_zarr(const file_elements& as, std::string_view folder, std::string_view name,
                             const std::source_location& where);
buffer_handle load_from_raw(const file_elements& as, std::string_view file, const box& elements, std::string_view name,
                            const std::source_location& where);

}  // namespace detail

/// Writes all elements as the Zarr array `folder`, in place of the array that is there. Numbers are arrays of their
/// type, structures the bytes that they are in memory ("raw_bytes", numpy's V16); the first coordinates are its
/// attribute "origin".
///
///   returns  a future of this node: ready when the array is in place. Fails with F01 where it cannot be written, F06
///            where libzstd is missing, and with what the launches failed with that were to write the elements; what
///            was there before is as it was then
///   throws   B07, F07 for lengths of chunks below 0
template <class T, std::size_t D>
future<void> save_zarr(const buffer<T, D>& u, std::string_view folder, const zarr_options& options = {},
                       std::source_location where = std::source_location::current()) {
  return detail::save_to_zarr(u.handle(), detail::elements_in_files<T, D>(), folder, options, where);
}

/// A buffer of the elements of a Zarr array (version 3), whoever wrote it: chunks of any shape; codecs bytes, crc32c,
/// zstd and gzip. A chunk that has no file holds the array's fill value.
///
///   returns  once it is known what the array is; elements are read behind. If a node cannot, using any of them fails
///            with F02, F04 on all
///   throws   on all nodes: F02 if there is no array, F03 if it is of another type or other axes, F06 for what Stretto
///            does not read
///   cost     a chunk that reaches into the rows of several nodes is read by each of them
template <class T, std::size_t D = 1>
buffer<T, D> load_zarr(std::string_view folder, const buffer_options& options = {},
                       std::source_location where = std::source_location::current()) {
  return buffer<T, D>(detail::load_from_zarr(detail::elements_in_files<T, D>(), folder, options.name, where));
}

/// Writes all elements as they are in memory, in the order of C, and nothing else; in place of the file that is there.
///
///   returns  as save_zarr
template <class T, std::size_t D>
future<void> save_raw(const buffer<T, D>& u, std::string_view file,
                      std::source_location where = std::source_location::current()) {
  return detail::save_to_raw(u.handle(), detail::elements_in_files<T, D>(), file, where);
}

/// A buffer of these elements, as save_raw or another program has written them.
///
///   throws   on all nodes: F02 if there is no such file, F05 if it has another number of bytes
template <class T, std::size_t D = 1>
buffer<T, D> load_raw(std::string_view file, const box& elements, const buffer_options& options = {},
                      std::source_location where = std::source_location::current()) {
  return buffer<T, D>(detail::load_from_raw(detail::elements_in_files<T, D>(), file, elements, options.name, where));
}

}  // namespace stretto

STRETTO_API_END
