// object_list.hpp - mobile/node3.json: the mobile objects of a node, with the messages that wait for them, as a text
// and back.
//
// Threads     pure.
// Invariants  (1) objects_in gives what text_of was given, or throws C02; bytes end within what an array of a node can
// have.
#pragma once

#include <stretto/fields.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mobile/saved_objects.hpp"

namespace stretto::checkpoints {

/// Where bytes lie in a node's array.
struct place_of_bytes {
  std::uint32_t file = 0;  // of which node
  std::uint64_t offset = 0, bytes = 0;
};
struct listed_letter {
  mobiles::saved_message what;  // without arguments
  place_of_bytes arguments;

  template <class Archive>
  friend void fields(Archive& a, archived<listed_letter, Archive>& l) {
    a(l.what.action, l.what.priority, l.what.function, l.what.where, l.what.name, l.arguments);
  }
};
struct listed_object {
  mobiles::saved_object what;  // without content and letters
  place_of_bytes content;
  std::vector<listed_letter> letters;
  mobiles::rank at = 0;  // the node that gets it

  template <class Archive>
  friend void fields(Archive& a, archived<listed_object, Archive>& o) {
    a(o.what.id, o.what.type, o.what.name, o.content, o.letters, o.at);
  }
};
/// What is said of objects; of their bytes, where they lie.
std::string text_of(const std::vector<listed_object>& all);
/// The objects that the list `file` of a node names. Throws C02.
std::vector<listed_object> objects_in(std::string_view text, std::uint32_t node, const std::filesystem::path& file);

}  // namespace stretto::checkpoints
