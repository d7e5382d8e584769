// content_io.hpp - reads and writes a checkpoint's content list, and looks up entries by name.
//
// Threads     any.
// Invariants  (1) read_contents returns what write_contents was given, or throws C02, C06.
#pragma once

#include "checkpoint/checkpoint_content.hpp"

namespace stretto::checkpoints {

using detail::checkpoint_content;
using detail::saved_name;
using detail::saved_shape;

/// Throws C08 for a name that an array cannot have.
void require_valid_name(const std::string& name, const std::source_location& where);
/// The shape of the value saved under the name. Throws C04 if there is none, C05 if it differs from `like`. A length
/// below 0 in `like` matches any.
saved_shape shape_of_kept(const checkpoint_content& from, const saved_name& name, const saved_shape& like,
                          const std::source_location& where);

inline std::string array_of(std::string_view name) { return "kept/" + std::string(name); }
inline std::string group_of_node(std::uint32_t node) { return "nodes/" + std::to_string(node); }
inline std::string array_of(const saved_name& k) {
  return k.node ? group_of_node(*k.node) + '/' + std::string(k.name) : array_of(k.name);
}
inline std::string node_folder(std::uint32_t node) { return "mobile/node" + std::to_string(node); }

/// The content of a new checkpoint of this job, still empty.
checkpoint_content content_of_this_job();

void write_contents(const std::filesystem::path& root, const checkpoint_content& c);
/// Warns the user if the checkpoint's format cannot detect exchanged chunks.
void warn_of_old_format(const checkpoint_content& c);
/// Reads checkpoint.json only; other files are checked when they are read. Throws C02, C06.
checkpoint_content read_table(const std::filesystem::path& directory);
/// Reads checkpoint.json and verifies all of its files.
checkpoint_content read_contents(const std::filesystem::path& directory);

}  // namespace stretto::checkpoints
