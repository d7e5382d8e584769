// copies.hpp - what this node has copied for a checkpoint, until it is written; and the files that it becomes.
//
//     mobile/node3.json        a line for each object, with its letters: what they are, and where their bytes lie in
//     mobile/node3             an array of bytes
//     nodes/3/NAME             an array for each thing that it keeps of its own
//
// Threads     tasks.
#pragma once

#include <vector>

#include "checkpoint/contents.hpp"
#include "mobile/kept_objects.hpp"

namespace stretto::checkpoints {

struct node_copy {
  std::vector<mobiles::kept_object> objects;
  std::vector<kept> own;  // of this node
};
/// There is one for each runtime; a later one takes its place.
void keep_copy(node_copy all);
/// The content of objects as it is now, for the writer alone. Waits.
void copy_objects(std::vector<kept>& all);

struct written_part {
  std::vector<file_entry> files;
  std::uint64_t objects = 0, letters = 0, names_made = 0;
  checkpoint_content::kept_map own;

  template <class Archive>
  friend void fields(Archive& a, archived<written_part, Archive>& p) {
    a(p.files, p.objects, p.letters, p.names_made, p.own);
  }
};
/// Of this node, which forgets them. Throws C01.
written_part write_copy(const std::string& root);

/// Where bytes lie in a node's array.
struct place_of_bytes {
  std::uint32_t file = 0;  // of which node
  std::uint64_t offset = 0, bytes = 0;
};
struct listed_letter {
  mobiles::kept_letter what;  // without arguments
  place_of_bytes arguments;

  template <class Archive>
  friend void fields(Archive& a, archived<listed_letter, Archive>& l) {
    a(l.what.kind, l.what.priority, l.what.function, l.what.where, l.what.name, l.arguments);
  }
};
struct listed_object {
  mobiles::kept_object what;  // without content and letters
  place_of_bytes content;
  std::vector<listed_letter> letters;
  mobiles::rank at = 0;  // the node that gets it

  template <class Archive>
  friend void fields(Archive& a, archived<listed_object, Archive>& o) {
    a(o.what.id, o.what.type, o.what.name, o.content, o.letters, o.at);
  }
};
/// Throws C02.
std::vector<listed_object> read_list(const checkpoint_content& from, std::uint32_t node);
/// A node's array.
std::vector<std::byte> read_node_bytes(const checkpoint_content& from, std::uint32_t node);

}  // namespace stretto::checkpoints
