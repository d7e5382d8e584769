// contents.hpp - what a checkpoint holds, as checkpoint.json tells it.
//
// Threads     a value; reading and writing, any.
// Invariants  (1) read_contents gives what write_contents was given, or throws C02, C06.
#pragma once

#include <stretto/checkpoint.hpp>

#include <map>

#include "checkpoint/folder.hpp"

namespace stretto::detail {

struct checkpoint_content {
  std::filesystem::path directory;
  std::string program, library;               // the builds that have written it
  bool is_of_old_format = false;              // its chunks may have been exchanged for one another, which nothing would show
  std::uint32_t nodes = 0;
  using kept_map = std::map<std::string, kept_shape>;
  kept_map kept;
  std::map<std::uint32_t, kept_map> kept_by_nodes;  // of those that keep something of their own
  std::map<std::uint16_t, std::uint16_t> homes;  // of the numbers in names of objects
  std::uint64_t names_made = 0;                  // the highest count in them
  std::uint64_t objects = 0, letters = 0;
  std::map<std::string, checkpoints::file_entry> files;

  /// Throws C02 if there is no such file in the list.
  const checkpoints::file_entry& entry_of(const std::string& file) const;
};

}  // namespace stretto::detail

namespace stretto::checkpoints {

using detail::checkpoint_content;
using detail::kept_name;
using detail::kept_shape;

/// Throws C08 for a name that no array can have.
void refuse_bad_name(const std::string& name, const std::source_location& where);
/// What is kept under the name. Throws C04 if nothing is, C05 if it is not like this; lengths below 0 are like any.
kept_shape shape_of_kept(const checkpoint_content& from, const kept_name& name, const kept_shape& like, const std::source_location& where);

inline std::string array_of(std::string_view name) { return "kept/" + std::string(name); }
inline std::string group_of_node(std::uint32_t node) { return "nodes/" + std::to_string(node); }
inline std::string array_of(const kept_name& k) {
  return k.node ? group_of_node(*k.node) + '/' + std::string(k.name) : array_of(k.name);
}
inline std::string node_folder(std::uint32_t node) { return "mobile/node" + std::to_string(node); }

/// Of this program on these nodes, with nothing in it yet.
checkpoint_content content_of_this_job();

void write_contents(const std::filesystem::path& root, const checkpoint_content& c);
/// Tells whoever runs the program if the checkpoint is of a format in which exchanged chunks do not show.
void warn_of_old_format(const checkpoint_content& c);
/// What checkpoint.json says alone: files are looked at when they are read. Throws C02, C06.
checkpoint_content read_table(const std::filesystem::path& directory);
/// And all of its files are there, as they were written.
checkpoint_content read_contents(const std::filesystem::path& directory);

}  // namespace stretto::checkpoints
