// buffer_files.hpp - parallel file input and output of buffers: Zarr arrays, which other tools read, and raw files.
//
//     STRETTO_KERNEL(twice, (inout<float, 2> u), { u(global_id(0), global_id(1)) *= 2; })
//
//     future<void> double_a_file() {  // every node calls it
//       const buffer<float, 2> u = load_zarr<float, 2>("before.zarr");
//       launch(twice, u.elements(), u(one_to_one));
//       future<void> written = save_zarr(u, "after.zarr", {.compression = zarr_compression::zstd});
//       launch(twice, u.elements(), u(one_to_one));  // waits for the copy of the elements only
//       save_raw(u, "after_both.raw");
//       return written;
//     }
//
// Every node makes the same calls, as for launches; all nodes must see the same file system. Each node writes whole
// chunks, and reads the rows that it would compute in a launch over all elements.
//
// Threads     as buffers.
// Memory      a file contains the results of the launches before the call. Operations on the files of a job run in the
//             order of the calls.
// Cost        save: host memory for a copy of each node's share, and a chunk for each worker. All chunks are flushed to
//             disk.
// Invariants  (1) the file or folder is complete at any time: the old one or the new one. (2) if one node fails, all
//             fail with its error.
// Source      Zarr core specification, version 3.
#pragma once

#include <stretto/buffer.hpp>
#include <stretto/future.hpp>
#include <stretto/zarr_type.hpp>

#include <string>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// The compression of the chunks of a Zarr array.
enum class zarr_compression : std::uint8_t { none, zstd };

/// The chunks and the compression of an array that save_zarr writes.
struct zarr_options {
  point chunk = {};  // lengths of chunks; 0: whole axes, beginning with the last, up to 4 MiB, and at least 1
  zarr_compression compression = zarr_compression::none;  // zstd requires libzstd.so.1 on every node
};

namespace detail {

struct file_elements {
  std::string type;  // the Zarr data type
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

/// Writes all elements as the Zarr array `folder` and replaces an array there. Numbers are arrays of their type;
/// structures are arrays of their bytes ("raw_bytes", numpy's V16). The attribute "origin" has the least coordinates.
///
///   returns  a future of this node that is ready when the array is complete. It fails with F01 if it cannot be
///            written, F06 if libzstd is missing, and with the failure of a launch that should have written the
///            elements; then the old array stays
///   throws   B20, B07; F07 for chunk lengths below 0
template <class T, std::size_t D>
future<void> save_zarr(const buffer<T, D>& u, std::string_view folder, const zarr_options& options = {},
                       std::source_location where = std::source_location::current()) {
  return detail::save_to_zarr(u.handle(), detail::elements_in_files<T, D>(), folder, options, where);
}

/// Makes a buffer with the elements of a Zarr array (version 3) of any program: chunks of any shape; codecs bytes,
/// crc32c, zstd and gzip. Elements of a chunk without a file have the array's fill value.
///
///   returns  the buffer, once the metadata is read; elements are read in the background. If a node cannot read its
///            elements, uses of any element fail with F02 or F04 on all nodes
///   throws   on all nodes: B20; F02 if there is no array, F03 for another type or number of axes, F06 for a feature
///            that Stretto cannot read
///   cost     each node reads all chunks that overlap its rows
template <class T, std::size_t D = 1>
buffer<T, D> load_zarr(std::string_view folder, const buffer_options& options = {},
                       std::source_location where = std::source_location::current()) {
  return buffer<T, D>(detail::load_from_zarr(detail::elements_in_files<T, D>(), folder, options.name, where));
}

/// Writes the bytes of all elements in C order to a file, without a header, and replaces a file there.
///
///   returns  as save_zarr
///   throws   B20, B07
template <class T, std::size_t D>
future<void> save_raw(const buffer<T, D>& u, std::string_view file,
                      std::source_location where = std::source_location::current()) {
  return detail::save_to_raw(u.handle(), detail::elements_in_files<T, D>(), file, where);
}

/// Makes a buffer with the elements of a file that save_raw or another program has written.
///
///   throws   on all nodes: B20; F02 if there is no such file, F05 if its size does not match `elements`
template <class T, std::size_t D = 1>
buffer<T, D> load_raw(std::string_view file, const box& elements, const buffer_options& options = {},
                      std::source_location where = std::source_location::current()) {
  return buffer<T, D>(detail::load_from_raw(detail::elements_in_files<T, D>(), file, elements, options.name, where));
}

}  // namespace stretto

STRETTO_API_END
