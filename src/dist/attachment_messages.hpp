// attachment_messages.hpp - the messages about arrays that are attached to messages of other nodes
// (remote_attachments.hpp).
//
// An array is named by its number at the node that has it; a requested one, by its number at the requester.
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include "data/attachments.hpp"
#include "dist/instance_fields.hpp"

namespace stretto::dist {

template <>
inline constexpr auto last_of<data::numbered_by> = data::numbered_by::requester;

/// To the node that has the array: send these elements, as those of a copy.
struct attachment_fetch {
  static constexpr std::string_view message = "attachments.fetch";
  data::attachment_number array = {};
  data::numbered_by by = {};
  std::uint64_t request = 0;  // of the sender (request_id)
  std::source_location where = {};
  bool is_first = false, is_last = false;  // among the fetches of this array
  box part = {};                           // in the target
  point shift = {};                        // from target to source coordinates
  detail::instance_handle target = {};
};

/// To the node that has the array: keep it for a later fetch.
struct attachment_hold {
  static constexpr std::string_view message = "attachments.hold";
  data::attachment_number array = {};
};
/// To the node that has the array: that fetch will not come, or was the last.
struct attachment_release {
  static constexpr std::string_view message = "attachments.let_go";
  data::attachment_number array = {};
  data::numbered_by by = {};
};

/// To the sender of a message with attachments: it has been read.
struct attachments_read {
  static constexpr std::string_view message = "attachments.read";
  data::kept_attachments kept_under = {};
};

/// To the node that has part of a shared object: let these elements be fetched under this number. An ordered message.
struct attachment_request {
  static constexpr std::string_view message = "attachments.request";
  data::attachment_number array = {};
  std::uint64_t object = 0;  // its number at the receiver
  std::source_location where = {};
  box part = {};
};

}  // namespace stretto::dist
