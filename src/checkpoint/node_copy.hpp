// node_copy.hpp - this node's copy of its state for a checkpoint, and the files that it is written to:
//
//     mobile/node3.json        a line for each object with its messages, and the position of their bytes in
//     mobile/node3             an array of bytes
//     nodes/3/NAME             an array for each per-node value
//
// Threads     tasks.
#pragma once

#include <vector>

#include "checkpoint/checkpoint_state.hpp"
#include "checkpoint/content_io.hpp"
#include "checkpoint/object_list.hpp"

namespace stretto::checkpoints {

/// Stores the copy of this runtime in place of an earlier one.
void store_node_copy(node_copy all);
/// Copies the current data of objects for the writer. Waits.
void copy_objects(std::vector<saved_value>& all);

struct written_part {
  std::vector<file_entry> files;
  std::uint64_t objects = 0, messages = 0, names_made = 0;
  checkpoint_content::kept_map per_node;

  template <class Archive>
  friend void fields(Archive& a, archived<written_part, Archive>& p) {
    a(p.files, p.objects, p.messages, p.names_made, p.per_node);
  }
};
/// Writes and drops this node's copy. Throws C01.
written_part write_copy(const std::string& root);

/// The list of a node's objects. Throws C02.
std::vector<listed_object> read_list(const checkpoint_content& from, std::uint32_t node);
/// The bytes of a node's array.
std::vector<std::byte> read_node_bytes(const checkpoint_content& from, std::uint32_t node);

}  // namespace stretto::checkpoints
