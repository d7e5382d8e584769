// buffer_restore.cpp - restores the buffers and values of a program from a checkpoint, on all nodes together.
#include <stretto/buffer_checkpoint.hpp>
#include <stretto/error.hpp>
#include <stretto/forasync.hpp>

#include <algorithm>
#include <optional>

#include "buffers/buffers_state.hpp"
#include "buffers/file_elements.hpp"
#include "buffers/file_tasks.hpp"
#include "checkpoint/buffer_rows.hpp"
#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/content_io.hpp"
#include "files/crc32c.hpp"

namespace stretto::detail {

using namespace checkpoints;
namespace fs = std::filesystem;

/// A variable to restore, and its buffer if it is one.
struct requested_variable {
  kept_variable is;
  buffer_handle names;
};

/// The checkpoint as one node read it, before anything is changed.
class opened_checkpoint {
 public:
  /// All nodes must read the same checkpoint: `sum` is the checksum that node 0 found.
  opened_checkpoint(const fs::path& directory, const std::string& sum) {
    const std::string is = sum_of(directory);
    if (is != sum)
      throw damaged(directory / "checkpoint.json", "checksum " + sum + ", as node 0 has read it", "checksum " + is);
    content = std::make_shared<const checkpoint_content>(read_table(directory));
    warn_of_old_format(*content);
  }
  static std::string sum_of(const fs::path& directory) {
    return files::checksum_text(files::crc32c(read_plain_file(directory / "checkpoint.json")));
  }

  /// Throws C02 for a damaged file that belongs to no buffer.
  void check_unread_values(const std::vector<requested_variable>& all) const {
    for (const auto& [name, entry] : content->files) {
      const bool is_of_buffer = std::ranges::any_of(all, [&](const requested_variable& w) {
        return w.is.buffer && name.starts_with(array_of(w.is.name) + "/c");
      });
      if (!is_of_buffer) read_file(content->directory, entry);
    }
  }
  void check_variable(const requested_variable& w, const std::source_location& where) {
    const kept_variable& k = w.is;
    if (k.read_value) {
      checkpoint values;
      values.content_ = content;
      set.push_back(k.read_value(values));
      return;
    }
    const saved_shape like{k.of.type, k.of.bytes, std::vector<std::int64_t>(k.of.dimensions, -1), {}, {}};
    const saved_shape is = shape_of_kept(*content, {k.name}, like, where);
    const box elements = elements_of_rows(is);
    if (const buffer_handle& h = w.names; h && h->elements != elements)
      throw error("C05", "\"" + k.name + "\" of the checkpoint " + content->directory.string() +
                             " has different elements than " + buffers::describe(*w.names))
          .fact("called", where)
          .fact("stored", elements.text())
          .fact("buffer", w.names->elements.text())
          .remedy("restore it into a buffer with the same elements, or into an empty buffer variable");
    require_chunks(content->directory, array_of(k.name), is,
                   [&](const std::string& file) { return content->entry_of(file); });
    shapes.push_back(is);
  }

  std::shared_ptr<const checkpoint_content> content;
  std::vector<std::function<void()>> set;  // values
  std::vector<saved_shape> shapes;         // of the buffers, in order
};

namespace {

constexpr std::size_t length_of_sum = 8;

buffer_handle read_rows(const opened_checkpoint& from, const requested_variable& w, const saved_shape& shape,
                        const buffers::file_work& work, const std::source_location& where) {
  const kept_variable& k = w.is;
  const box elements = elements_of_rows(shape);
  const std::string name = w.names ? w.names->name : k.name;
  const buffer_handle h = make_buffer({elements, k.of.dimensions, k.of.bytes, k.of.alignment, name, nullptr}, where);
  if (elements.is_empty()) return h;
  buffers::read_plan r;
  const files::zarr_array a = array_of_shape(shape);
  saved_shape in_chunks = shape;
  in_chunks.rows = a.chunk[0];
  r.shares = shares_of_rows(elements, in_chunks, work.nodes);
  r.share = [content = from.content, array = array_of(k.name), a, elements, dimensions = int{k.of.dimensions}](
                const box& share, const host_elements& memory) {
    const coordinate base = elements.min()[0];
    const box rows((share.min()[0] - base) / a.chunk[0], (share.max()[0] - 1 - base) / a.chunk[0] + 1);
    const auto chunks = forasync(rows, extent(1), [&](coordinate n) {
      auto dense =
          read_file(content->directory, content->entry_of(file_of_chunk(array, a, static_cast<std::uint64_t>(n))));
      point min = elements.min(), max = elements.max();
      min[0] = base + n * a.chunk[0];
      max[0] = min[0] + a.chunk[0];
      const box chunk = box::between(min, max);
      buffers::copy_part_of_chunk(memory, intersection(chunk, share), dimensions, chunk, dense.data(),
                                  buffers::direction::to_memory);
    });
    detail::join_and_get(chunks, std::source_location::current());
  };
  buffers::read_now_on_all_nodes(h, r, work, where);
  return h;
}

}  // namespace

bool restore_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                     const std::source_location& where) {
  buffers::file_work work("restore");
  const std::string told = buffers::broadcast_from_node_0(
      "find a checkpoint",
      [directory] {
        const fs::path there = find_complete(fs::path(directory));
        if (there.empty()) return std::string();
        read_table(there);
        return opened_checkpoint::sum_of(there) + there.string();
      },
      work, where);
  if (told.empty()) return false;
  std::vector<requested_variable> requested;
  for (const kept_variable& k : all) {
    requested.push_back({k, k.buffer ? k.buffer() : buffer_handle()});
    // throws B07 for a buffer of another runtime
    if (requested.back().names) elements_of(requested.back().names, where);
  }
  // If the wait for the task throws, the task goes on, so it shares ownership of what it uses.
  const auto found = std::make_shared<std::optional<opened_checkpoint>>();
  const auto look = [found, told, requested, where, self = work.self] {
    opened_checkpoint& here = found->emplace(told.substr(length_of_sum), told.substr(0, length_of_sum));
    if (self == 0) here.check_unread_values(requested);
    for (const requested_variable& w : requested) here.check_variable(w, where);
  };
  if (work.state->dry) look();
  buffers::run_on_all_nodes("look at a checkpoint", look, work, where);
  std::vector<std::function<void()>> set = std::move((*found)->set);
  auto shape = (*found)->shapes.begin();
  for (const requested_variable& w : requested)
    if (w.is.buffer) set.push_back([&w, h = read_rows(**found, w, *shape++, work, where)] { w.is.set_buffer(h); });
  for (const auto& s : set) s();
  return true;
}

}  // namespace stretto::detail
