// buffer_save.cpp - saves buffers and values: a task on each node copies the node's rows. Then node 0 calls a function
// on each node that writes these rows, and writes the other values itself.
#include <stretto/buffer_checkpoint.hpp>
#include <stretto/error.hpp>
#include <stretto/forasync.hpp>

#include <algorithm>
#include <filesystem>

#include "buffers/call_signatures.hpp"
#include "buffers/file_elements.hpp"
#include "buffers/file_tasks.hpp"
#include "buffers/launch_pipeline.hpp"
#include "checkpoint/buffer_copies.hpp"
#include "checkpoint/buffer_rows.hpp"
#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/collective_calls.hpp"

namespace stretto {

namespace checkpoints {
namespace {

using buffers::wait_for_cause;
using detail::kept_variable;

/// Runs on each node: writes its copied rows and returns the entries of the files.
std::vector<file_entry> write_rows_here(const std::string& root, std::uint64_t number) {
  const std::source_location where = std::source_location::current();
  const copies_of_buffers mine = copies_here()->find(number, where);
  wait_for_cause(mine.copied, where);
  std::vector<file_entry> written;
  for (const auto& part : mine.all) {
    if (part->rows == 0) continue;
    const files::zarr_array a = array_of_shape(part->shape);
    const std::uint64_t bytes = files::bytes_of_chunk(a), row = bytes / static_cast<std::uint64_t>(a.chunk[0]);
    const coordinate first = part->first_row / a.chunk[0], last = (part->first_row + part->rows - 1) / a.chunk[0] + 1;
    const std::size_t before = written.size();
    written.resize(before + static_cast<std::size_t>(last - first));
    const auto chunks = forasync(box(first, last), extent(1), [&](coordinate n) {
      const std::uint64_t begin = static_cast<std::uint64_t>(n * a.chunk[0] - part->first_row) * row;
      const auto from = part->elements.begin() + static_cast<std::ptrdiff_t>(begin);
      written[before + static_cast<std::size_t>(n - first)] = write_chunk_of(
          root, array_of(part->name), a, static_cast<std::uint64_t>(n),
          {from, from + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(bytes, part->elements.size() - begin))});
    });
    detail::join_and_get(chunks, where);
    std::vector<std::byte>().swap(part->elements);
  }
  return written;
}

/// Runs on node 0 for another node: waits until the checkpoint is in place.
int wait_until_written(std::uint64_t number) {
  const std::source_location where = std::source_location::current();
  wait_for_cause(copies_here()->find(number, where).written, where);
  return 0;
}

struct checkpoint_to_write {
  std::filesystem::path directory;
  std::uint64_t number = 0;
  std::vector<saved_value> values;
  std::vector<std::pair<std::string, saved_shape>> buffers;
};

void write_all(const checkpoint_to_write& w, const std::source_location& where) {
  const std::filesystem::path root = temporary_path_of(w.directory);
  create_temporary_folder(w.directory);
  checkpoint_content c = content_of_this_job();
  const auto asked = call_all_nodes([&](auto) { return call<&write_rows_here>(root.string(), w.number); }, where);
  const completion_guard wait_for_writers(asked);
  std::vector<file_entry> files;
  for (const char* group : {"", "kept/"})
    files.push_back(write_text(root, std::string(group) + "zarr.json", group_text()));
  for (const saved_value& k : w.values) {
    write_array(root, array_of(k.name), k.shape, k.bytes, files);
    c.kept.emplace(k.name, k.shape);
  }
  for (const auto& [name, shape] : w.buffers) {
    files.push_back(write_text(root, array_of(name) + "/zarr.json", array_text(shape)));
    c.kept.emplace(name, shape);
  }
  for (const std::vector<file_entry>& written : results_of(asked))
    files.insert(files.end(), written.begin(), written.end());
  for (const file_entry& f : files) c.files.emplace(f.name, f);
  write_contents(root, c);
  put_in_place(w.directory);
}

/// Submits a task that copies this node's rows of the buffer, behind earlier launches.
event copy_rows(const detail::buffer_handle& h, const std::vector<box>& shares, std::uint32_t self, int dimensions,
                const std::shared_ptr<copied_rows>& to, const std::source_location& where) {
  const detail::range_mapper by = buffers::mapper_of_shares(shares);
  const detail::host_use_item use{&h, &by, access::in};
  detail::host_task_request request;
  request.name = "copy for a checkpoint";
  const box mine = shares[self];
  return detail::run_host_task(
      detail::nodes_of_task::chunks, box(0, static_cast<coordinate>(shares.size())), {&use, 1},
      [to, mine, dimensions](const box&, std::span<const detail::host_elements> given) {
        if (mine.is_empty()) return;
        to->elements.resize(mine.volume() * to->shape.element_bytes);
        detail::for_parts_of(mine, [&](const box& part) {
          buffers::copy_part_of_chunk(given[0], part, dimensions, mine, to->elements.data(),
                                      buffers::direction::from_memory);
        });
      },
      request, where);
}

void record_save(buffers::buffers_state& s, const std::string& directory, const std::vector<kept_variable>& all,
                 const std::source_location& where) {
  if (!s.guard) return;
  buffers::buffer_call c{.what = buffers::buffer_call::verb::save, .name = directory};
  for (const kept_variable& k : all)
    if (k.buffer) c.uses.push_back({.buffer = k.buffer()->id.number});
  const buffers::drained_submission_lock held(s, where);
  buffers::record_call(s, std::make_shared<const buffers::call_signature>(std::move(c)), where, false);
}

}  // namespace
}  // namespace checkpoints

namespace detail {

using namespace checkpoints;

void check_kept_name(const std::vector<kept_variable>& all, std::string_view name, const std::source_location& where) {
  require_valid_name(std::string(name), where);
  if (std::ranges::any_of(all, [&](const kept_variable& k) { return k.name == name; }))
    throw error("C08", "a checkpoint cannot store two things under the name \"" + std::string(name) + "\"")
        .fact("called", where)
        .remedy("give each a name of its own");
}

future<void> save_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                          const std::source_location& where) {
  const buffers::file_work work("buffer_checkpoint");
  for (const kept_variable& k : all)
    if (k.buffer) elements_of(k.buffer(), where);  // throws before anything has changed
  record_save(*work.state, directory, all, where);
  const std::shared_ptr<buffer_copies> copies = copies_here();
  checkpoint_to_write w;
  w.directory = directory;
  w.number = copies->next();
  copies_of_buffers mine;
  std::vector<event> copied;
  for (const kept_variable& k : all) {
    if (k.value) {
      w.values.push_back(k.value());
      continue;
    }
    const buffer_handle h = k.buffer();
    auto rows = std::make_shared<copied_rows>();
    rows->name = k.name;
    const box elements = elements_of(h, where);
    rows->shape = shape_of_rows(k.of, elements, work.nodes);
    const std::vector<box> shares = shares_of_rows(elements, rows->shape, work.nodes);
    rows->first_row = shares[work.self].min()[0] - elements.min()[0];
    rows->rows = shares[work.self].is_empty() ? 0 : shares[work.self].length(0);
    w.buffers.emplace_back(k.name, rows->shape);
    copied.push_back(copy_rows(h, shares, work.self, k.of.dimensions, rows, where));
    mine.all.push_back(std::move(rows));
  }
  if (work.state->dry) return async(name("checkpoint"), [] {}, where);
  mine.copied = merge(copied, where);
  const std::uint64_t number = w.number;
  if (work.self != 0) {
    copies->add(number, std::move(mine));
    return async(name("checkpoint"), detail::goes_on{[number, copies, where] {
                   try {
                     async(at_node(0), call<&wait_until_written>(number), where).get();
                   } catch (...) {
                     copies->forget(number);
                     throw;
                   }
                   copies->forget(number);
                 }},
                 where);
  }
  using detail::goes_on;
  const future<void> written = async(after(copies->before), name("checkpoint"), goes_on{[w = std::move(w), where] {
                                       try {
                                         write_all(w, where);
                                       } catch (...) {
                                         const auto failed = std::current_exception();
                                         std::error_code ignored;
                                         std::filesystem::remove_all(temporary_path_of(w.directory), ignored);
                                         std::rethrow_exception(failed);
                                       }
                                     }},
                                     where);
  copies->before = ignore_failure(written, where);
  mine.written = written;
  copies->add(number, std::move(mine));
  return written;
}

}  // namespace detail

}  // namespace stretto
