// content_io.hpp - what a checkpoint holds, read and written as its table, and looked up by name.
//
// Threads     any.
// Invariants  (1) read_contents gives what write_contents was given, or throws C02, C06.
#pragma once

#include "checkpoint/checkpoint_content.hpp"

namespace stretto::checkpoints {

using detail::checkpoint_content;
using detail::kept_name;
using detail::kept_shape;

/// Throws C08 for a name that no array can have.
void require_valid_name(const std::string& name, const std::source_location& where);
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
