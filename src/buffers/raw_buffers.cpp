// raw_buffers.cpp - buffers as raw files: nothing but the elements, in C order.
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/forasync.hpp>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "buffers/file_elements.hpp"
#include "buffers/file_errors.hpp"
#include "buffers/file_tasks.hpp"

namespace stretto::buffers {
namespace {

namespace fs = std::filesystem;

void read_exactly(int file, std::byte* to, std::uint64_t bytes, std::uint64_t offset, const fs::path& name) {
  for (std::uint64_t have = 0; have < bytes;) {
    const auto n = ::pread(file, to + have, bytes - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_cannot_be_read(name, std::strerror(errno));
    if (n == 0)
      throw file_is_damaged(name, fmt::format("{} bytes from byte {}", bytes, offset), fmt::format("{} bytes", have));
    have += static_cast<std::uint64_t>(n);
  }
}

void write_exactly(int file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset, const fs::path& name) {
  for (std::uint64_t have = 0; have < bytes;) {
    const auto n = ::pwrite(file, from + have, bytes - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_cannot_be_written(name, errno);
    have += static_cast<std::uint64_t>(n);
  }
}

/// Calls f(number of the first element, count) for pieces of a share, on several workers.
template <class F>
void for_each_piece(const box& share, std::uint32_t element_bytes, F f) {
  const std::uint64_t most = std::max<std::uint64_t>(1, most_file_bytes_at_once / element_bytes), all = share.volume();
  const auto pieces = forasync(box(0, static_cast<coordinate>((all + most - 1) / most)), extent(1), [&](coordinate n) {
    const std::uint64_t first = static_cast<std::uint64_t>(n) * most;
    f(first, std::min(most, all - first));
  });
  detail::join_and_get(pieces, std::source_location::current());
}

/// The offset of a share. Its elements are contiguous in the file: it has all of every axis but one, and the axes
/// before that have length 1.
std::uint64_t offset_in_file(const box& share, const box& elements, std::uint32_t element_bytes) {
  const int axis = split_axis(elements);
  std::uint64_t row = element_bytes;
  for (int a = axis + 1; a < max_axes; ++a) row *= static_cast<std::uint64_t>(elements.length(a));
  return static_cast<std::uint64_t>(share.min()[axis] - elements.min()[axis]) * row;
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

namespace fs = std::filesystem;
using namespace buffers;
using base::file_descriptor;

future<void> save_to_raw(const buffer_handle& h, const file_elements& of, std::string_view file,
                         const std::source_location& where) {
  const box elements = elements_of(h, where);
  const fs::path to(file);
  const std::uint64_t bytes = elements.volume() * of.bytes;
  write_plan w;
  w.to = to;
  w.begin = [to, bytes] {
    refuse_to_replace(to, false);
    const fs::path there = files::temporary_path_of(to);
    std::error_code ignored;
    fs::remove_all(there, ignored);
    const file_descriptor d(::open(there.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
    if (d.number() < 0 || ::ftruncate(d.number(), static_cast<off_t>(bytes)) != 0)
      throw file_cannot_be_written(there, errno);
  };
  w.end = [to] { files::put_in_place(to, buffer_file_errors); };
  const file_work work("save_raw");
  w.shares = shares_of(elements, 1, work.nodes);
  w.share = [to, elements, of, self = work.self](const box& share, const host_elements& memory) {
    const fs::path there = files::temporary_path_of(to);
    const file_descriptor d(::open(there.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (d.number() < 0) throw file_cannot_be_written(there, errno);
    const std::uint64_t offset = offset_in_file(share, elements, of.bytes);
    const auto shown = progress_of("saving", share.volume() * of.bytes, self);
    std::atomic<std::uint64_t> done = 0;
    for_each_piece(share, of.bytes, [&](std::uint64_t first, std::uint64_t count) {
      std::vector<std::byte> dense(count * of.bytes);
      copy_elements_in_order(memory, share, of.dimensions, first, count, dense.data(), direction::from_memory);
      write_exactly(d.number(), dense.data(), dense.size(), offset + first * of.bytes, there);
      if (shown) shown->set((done += dense.size()) >> 20);
    });
    if (::fsync(d.number()) != 0) throw file_cannot_be_written(there, errno);
  };
  return write_from_all_nodes(h, std::move(w), "save_raw", where);
}

buffer_handle load_from_raw(const file_elements& as, std::string_view file, const box& elements, std::string_view name,
                            const std::source_location& where) {
  file_work work("load_raw");
  const fs::path named(file);
  const std::uint64_t bytes = elements.volume() * as.bytes;
  const fs::path from = broadcast_from_node_0(
      "find a file",
      [named, bytes, elements] {
        const fs::path there = files::find_complete(named);
        struct stat is {};
        if (there.empty() || ::stat(there.c_str(), &is) != 0) throw file_cannot_be_read(named, "there is no such file");
        if (!S_ISREG(is.st_mode)) throw file_cannot_be_read(named, "it is no file");
        if (static_cast<std::uint64_t>(is.st_size) != bytes)
          throw error("F05",
                      "the file " + named.string() + " does not have the size of the elements to be loaded from it")
              .fact("elements", fmt::format("{}, {} bytes", elements.text(), bytes))
              .fact("file", fmt::format("{} bytes", is.st_size))
              .remedy("name the elements that were saved, and their type");
        return there.string();
      },
      work, where);
  const buffer_handle h = make_buffer({elements, as.dimensions, as.bytes, as.alignment, name, nullptr}, where);
  if (elements.is_empty()) return h;
  read_plan r;
  r.shares = shares_of(elements, 1, work.nodes);
  r.share = [from, elements, as, self = work.self](const box& share, const host_elements& memory) {
    const file_descriptor d(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (d.number() < 0) throw file_cannot_be_read(from, std::strerror(errno));
    const std::uint64_t offset = offset_in_file(share, elements, as.bytes);
    const auto shown = progress_of("loading", share.volume() * as.bytes, self);
    std::atomic<std::uint64_t> done = 0;
    for_each_piece(share, as.bytes, [&](std::uint64_t first, std::uint64_t count) {
      std::vector<std::byte> dense(count * as.bytes);
      read_exactly(d.number(), dense.data(), dense.size(), offset + first * as.bytes, from);
      copy_elements_in_order(memory, share, as.dimensions, first, count, dense.data(), direction::to_memory);
      if (shown) shown->set((done += dense.size()) >> 20);
    });
  };
  read_on_all_nodes(h, r, work, where);
  return h;
}

}  // namespace stretto::detail
