// node_copy.hpp - what this node has copied for a checkpoint, until it is written; and the files that it becomes.
//
//     mobile/node3.json        a line for each object, with its letters: what they are, and where their bytes lie in
//     mobile/node3             an array of bytes
//     nodes/3/NAME             an array for each thing that it keeps of its own
//
// Threads     tasks.
#pragma once

#include <vector>

#include "checkpoint/content_io.hpp"
#include "checkpoint/object_list.hpp"
#include "mobile/kept_objects.hpp"

namespace stretto::checkpoints {

struct node_copy {
  std::vector<mobiles::kept_object> objects;
  std::vector<kept> per_node;  // of this node
};
/// There is one for each runtime; a later one takes its place.
void store_node_copy(node_copy all);
/// The content of objects as it is now, for the writer alone. Waits.
void copy_objects(std::vector<kept>& all);

struct written_part {
  std::vector<file_entry> files;
  std::uint64_t objects = 0, letters = 0, names_made = 0;
  checkpoint_content::kept_map per_node;

  template <class Archive>
  friend void fields(Archive& a, archived<written_part, Archive>& p) {
    a(p.files, p.objects, p.letters, p.names_made, p.per_node);
  }
};
/// Of this node, which forgets them. Throws C01.
written_part write_copy(const std::string& root);

/// Throws C02.
std::vector<listed_object> read_list(const checkpoint_content& from, std::uint32_t node);
/// A node's array.
std::vector<std::byte> read_node_bytes(const checkpoint_content& from, std::uint32_t node);

}  // namespace stretto::checkpoints
