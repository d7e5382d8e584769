// object_list.hpp - writes and reads mobile/node3.json: the list of a node's mobile objects with their waiting
// messages.
//
// Threads     pure.
// Invariants  (1) objects_in returns what text_of was given, or throws C02; positions of bytes lie within the
//             possible size of a node's array.
#pragma once

#include <stretto/fields.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mobile/saved_objects.hpp"

namespace stretto::checkpoints {

/// The position of bytes in a node's array.
struct place_of_bytes {
  std::uint32_t file = 0;  // node number of the array
  std::uint64_t offset = 0, bytes = 0;
};
struct listed_message {
  mobiles::saved_message what;  // without arguments
  place_of_bytes arguments;

  template <class Archive>
  friend void fields(Archive& a, archived<listed_message, Archive>& l) {
    a(l.what.action, l.what.priority, l.what.function, l.what.where, l.what.name, l.arguments);
  }
};
struct listed_object {
  mobiles::saved_object what;  // without its data and messages
  place_of_bytes content;
  std::vector<listed_message> messages;
  mobiles::rank at = 0;  // the node that restores it

  template <class Archive>
  friend void fields(Archive& a, archived<listed_object, Archive>& o) {
    a(o.what.id, o.what.type, o.what.name, o.content, o.messages, o.at);
  }
};
/// The list as text. It contains positions in the node's array instead of bytes.
std::string text_of(const std::vector<listed_object>& all);
/// Parses the list `file` of a node. Throws C02.
std::vector<listed_object> objects_in(std::string_view text, std::uint32_t node, const std::filesystem::path& file);

}  // namespace stretto::checkpoints
