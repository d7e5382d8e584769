// zarr_buffers.cpp - buffers as Zarr arrays: a folder with one file for each chunk.
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/forasync.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "buffers/file_elements.hpp"
#include "buffers/file_errors.hpp"
#include "buffers/file_tasks.hpp"
#include "files/zarr_array.hpp"

namespace stretto::buffers {
namespace {

std::int64_t chunks_along(const files::zarr_array& a, const box& part, std::size_t axis, const point& origin,
                          std::int64_t& first) {
  const int at = static_cast<int>(axis);
  first = (part.min()[at] - origin[at]) / a.chunk[axis];
  return (part.max()[at] - 1 - origin[at]) / a.chunk[axis] + 1 - first;
}

/// Calls f(numbers of the chunk, its box) for each chunk that meets `part`, on several workers.
template <class F>
void for_each_chunk(const files::zarr_array& a, const box& part, const point& origin, F f) {
  const std::size_t axes = a.shape.size();
  std::array<std::int64_t, max_axes> first{}, count{1, 1, 1};
  for (std::size_t axis = 0; axis < axes; ++axis) count[axis] = chunks_along(a, part, axis, origin, first[axis]);
  const auto chunks = forasync(box(0, count[0] * count[1] * count[2]), extent(1), [&](coordinate number) {
    std::array<std::int64_t, max_axes> at{};
    for (std::size_t axis = axes; axis-- > 0;) at[axis] = first[axis] + number % count[axis], number /= count[axis];
    point min, max(1, 1, 1);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const int i = static_cast<int>(axis);
      min[i] = origin[i] + at[axis] * a.chunk[axis];
      max[i] = min[i] + a.chunk[axis];
    }
    f(std::span<const std::int64_t>(at.data(), axes), box::between(min, max));
  });
  detail::join_and_get(chunks, std::source_location::current());
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

namespace fs = std::filesystem;
using namespace buffers;

future<void> save_to_zarr(const buffer_handle& h, const file_elements& of, std::string_view folder,
                          const zarr_options& options, const std::source_location& where) {
  const box elements = elements_of(h, where);
  files::zarr_array a;
  a.type = of.type;
  a.element_bytes = of.bytes;
  a.codecs = {files::codec::little_endian};
  const point chosen = chunk_lengths(elements, of.dimensions, of.bytes, most_file_bytes_at_once);
  const bool is_empty = elements.is_empty();
  for (int axis = 0; axis < of.dimensions; ++axis) {
    if (options.chunk[axis] < 0)
      throw error("F07", fmt::format("an array cannot be saved in chunks of {} elements along axis {}",
                                     options.chunk[axis], axis))
          .fact("submitted", where)
          .remedy("give lengths of at least 1, or 0 for automatic lengths");
    a.shape.push_back(is_empty ? 0 : elements.length(axis));
    a.chunk.push_back(options.chunk[axis] ? std::min(options.chunk[axis], std::max<coordinate>(1, a.shape.back()))
                                          : chosen[axis]);
    a.origin.push_back(elements.min()[axis]);
  }
  if (options.compression == zarr_compression::zstd) a.codecs.push_back(files::codec::zstd);
  a.codecs.push_back(files::codec::crc32c);
  const fs::path to(folder);
  write_plan w;
  w.to = to;
  w.begin = [to] {
    refuse_to_replace(to, true);
    files::create_temporary_folder(to, buffer_file_errors);
  };
  w.end = [to, a] {
    const std::string text = files::text_of(a);
    files::write_file(files::temporary_path_of(to) / "zarr.json", std::as_bytes(std::span(text)), buffer_file_errors);
    files::put_in_place(to, buffer_file_errors);
  };
  const file_work work("save_zarr");
  const int axis = split_axis(elements);
  w.shares = shares_of(elements, axis < of.dimensions ? a.chunk[static_cast<std::size_t>(axis)] : 1, work.nodes);
  w.share = [to, a, elements, of, self = work.self](const box& share, const host_elements& memory) {
    const auto shown = progress_of("saving", share.volume() * of.bytes, self);
    std::atomic<std::uint64_t> bytes = 0;
    for_each_chunk(a, share, elements.min(), [&](std::span<const std::int64_t> number, const box& chunk) {
      std::vector<std::byte> dense(files::bytes_of_chunk(a));
      copy_part_of_chunk(memory, intersection(chunk, elements), of.dimensions, chunk, dense.data(),
                         direction::from_memory);
      files::write_file(files::temporary_path_of(to) / files::chunk_name(a, number), files::encode(a, std::move(dense)),
                        buffer_file_errors);
      if (shown) shown->set((bytes += files::bytes_of_chunk(a)) >> 20);
    });
  };
  return write_from_all_nodes(h, std::move(w), "save_zarr", where);
}

buffer_handle load_from_zarr(const file_elements& as, std::string_view folder, std::string_view name,
                             const std::source_location& where) {
  file_work work("load_zarr");
  const fs::path named(folder);
  // The folder, which may be an interrupted replacement, and its zarr.json.
  const std::string description = broadcast_from_node_0(
      "find an array",
      [named] {
        const fs::path from = files::find_complete(named);
        if (from.empty()) throw file_cannot_be_read(named, "there is no such folder");
        std::error_code e;
        if (!fs::exists(from / "zarr.json", e)) throw file_cannot_be_read(named, "it has no zarr.json");
        const files::file_errors complaints{file_cannot_be_written,
                                            [](const fs::path& f, const std::string&, const std::string& found) {
                                              return file_cannot_be_read(f, found);
                                            }};
        const auto text = files::read_file(from / "zarr.json", most_description_bytes, complaints);
        const std::string both =
            from.string() + '\0' + std::string(reinterpret_cast<const char*>(text.data()), text.size());
        if (both.size() > most_description_bytes)
          throw file_cannot_be_read(from / "zarr.json", fmt::format("it has {} bytes, and the most is {}", text.size(),
                                                                    most_description_bytes));
        return both;
      },
      work, where);
  const fs::path from = description.substr(0, description.find('\0'));
  const files::zarr_array a =
      files::array_in(std::string_view(description).substr(description.find('\0') + 1), (from / "zarr.json").string());
  std::string wanted = as.type + ", 1 axis";
  if (as.dimensions != 1) wanted = fmt::format("{}, {} axes", as.type, as.dimensions);
  if (a.type != as.type || a.element_bytes != as.bytes || a.shape.size() != as.dimensions)
    throw error("F03", "the array " + from.string() + " has another type")
        .fact("submitted", where)
        .fact("requested", wanted)
        .fact("stored",
              fmt::format("{}, {}", a.type, a.shape.size() == 1 ? "1 axis" : fmt::format("{} axes", a.shape.size())))
        .remedy("load it as the stored type");
  point min, max(1, 1, 1);
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
    min[static_cast<int>(axis)] = a.origin.empty() ? 0 : a.origin[axis];
    max[static_cast<int>(axis)] = min[static_cast<int>(axis)] + a.shape[axis];
  }
  const box elements = box::between(min, max);
  const buffer_handle h = make_buffer({elements, as.dimensions, as.bytes, as.alignment, name, nullptr}, where);
  if (elements.is_empty()) return h;
  read_plan r;
  r.shares = shares_of(elements, 1, work.nodes);
  r.share = [from, a, min, dimensions = as.dimensions, self = work.self](const box& share,
                                                                         const host_elements& memory) {
    const auto shown = progress_of("loading", share.volume() * a.element_bytes, self);
    std::atomic<std::uint64_t> bytes = 0;
    for_each_chunk(a, share, min, [&](std::span<const std::int64_t> number, const box& chunk) {
      const fs::path file = from / files::chunk_name(a, number);
      std::vector<std::byte> dense;
      std::error_code e;
      if (fs::exists(file, e)) {
        dense = files::decode(a, files::read_file(file, files::most_stored_bytes(a), buffer_file_errors), file,
                              buffer_file_errors);
      } else if (e) {
        throw file_cannot_be_read(file, e.message());
      } else {
        dense.resize(files::bytes_of_chunk(a));
        if (!a.fill.empty())
          for (std::size_t at = 0; at < dense.size(); at += a.element_bytes)
            std::memcpy(dense.data() + at, a.fill.data(), a.element_bytes);
      }
      copy_part_of_chunk(memory, intersection(chunk, share), dimensions, chunk, dense.data(), direction::to_memory);
      if (shown) shown->set((bytes += dense.size()) >> 20);
    });
  };
  read_on_all_nodes(h, r, work, where);
  return h;
}

}  // namespace stretto::detail
