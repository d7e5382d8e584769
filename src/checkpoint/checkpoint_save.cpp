// checkpoint_save.cpp - save_checkpoint: checks the request, finds the consistent point, and writes the files.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <algorithm>
#include <set>

#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/collective_calls.hpp"
#include "checkpoint/consistent_point.hpp"
#include "checkpoint/content_io.hpp"
#include "checkpoint/node_copy.hpp"
#include "sched/worker.hpp"

namespace stretto {

namespace checkpoints {
namespace {

using mobiles::rank;

bool reserve_here(rank by) { return objects_here().checkpoints().try_reserve(by); }
int release_here(rank by) { return objects_here().checkpoints().release(by), 0; }
written_part write_here(const std::string& root) { return write_copy(root); }

/// A job takes one checkpoint at a time; node 0 grants the reservation.
void reserve(const std::source_location& where) {
  while (!results_of(std::vector{async(at_node(0), call<&reserve_here>(this_node()), where)}).front()) yield();
}
void release(const std::source_location& where) {
  try {
    async(at_node(0), call<&release_here>(this_node()), where).get();
  } catch (...) {  // node 0 failed: no further checkpoint is possible
  }
}

/// Removes the incomplete files, which only take space. Rethrows the current exception.
[[noreturn]] void abort_checkpoint(const std::filesystem::path& directory, const std::source_location& where) {
  const auto failed = std::current_exception();
  std::error_code ignored;
  std::filesystem::remove_all(temporary_path_of(directory), ignored);
  release(where);
  std::rethrow_exception(failed);
}

void check_names(const std::vector<saved_value>& all) {
  std::set<std::string> names;
  for (const saved_value& k : all) {
    require_valid_name(k.name, k.where);
    if (!names.insert(k.name).second)
      throw error("C08", "a checkpoint cannot store two things under the name \"" + k.name + "\"")
          .fact("called", k.where)
          .remedy("give each a name of its own");
  }
}

void write_all(const std::filesystem::path& directory, const std::vector<saved_value>& all,
               const std::source_location& where) {
  const auto root = temporary_path_of(directory);
  checkpoint_content c = content_of_this_job();
  c.homes = objects_here().homes().all();
  const auto asked = call_all_nodes([&](auto) { return call<&write_here>(root.string()); }, where);
  const completion_guard wait_for_writers(asked);
  std::vector<file_entry> files;
  for (const char* group : {"", "kept/", "mobile/"})
    files.push_back(write_text(root, std::string(group) + "zarr.json", group_text()));
  for (const saved_value& k : all) {
    write_array(root, array_of(k.name), k.shape, k.bytes, files);
    c.kept.emplace(k.name, k.shape);
  }
  const std::vector<written_part> parts = results_of(asked);
  for (std::uint32_t n = 0; n < parts.size(); ++n) {
    const written_part& p = parts[n];
    if (!p.per_node.empty()) c.kept_by_nodes.emplace(n, p.per_node);
    files.insert(files.end(), p.files.begin(), p.files.end());
    c.objects += p.objects;
    c.messages += p.messages;
    c.names_made = std::max(c.names_made, p.names_made);
  }
  if (!c.kept_by_nodes.empty()) files.push_back(write_text(root, "nodes/zarr.json", group_text()));
  for (const file_entry& f : files) c.files.emplace(f.name, f);
  write_contents(root, c);
  put_in_place(directory);
}

}  // namespace
}  // namespace checkpoints

future<void> save_checkpoint(std::string_view directory, std::vector<saved_value> all, std::source_location where) {
  using namespace checkpoints;
  base::require_current("save_checkpoint");
  check_names(all);
  const sched::worker* const on = static_cast<sched::thread_state&>(base::require_current("save_checkpoint")).as_worker;
  if (on && on->current && objects_here().is_handler(*on->current))
    throw error("C11", "a handler of a mobile object takes a checkpoint")
        .fact("called", where)
        .because("a checkpoint waits until no handler runs, so this handler would wait for itself")
        .remedy("take it in a separate task: call async in the handler, and do not wait for the task");
  const std::filesystem::path to = directory;
  reserve(where);
  try {
    create_temporary_folder(to);
    at_consistent_point([&] { copy_objects(all); }, where);
  } catch (...) {
    abort_checkpoint(to, where);
  }
  return async(name("checkpoint"), detail::goes_on{[to, all = std::move(all), where] {
                 try {
                   write_all(to, all, where);
                 } catch (...) {
                   abort_checkpoint(to, where);
                 }
                 release(where);
               }},
               where);
}

}  // namespace stretto
