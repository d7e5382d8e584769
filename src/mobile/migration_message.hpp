// migration_message.hpp - the network message of a migrating object: its data, the messages that wait for it, and the
// sequence numbers of their senders.
//
// Threads     Values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/attachments.hpp"
#include "mobile/local_object.hpp"
#include "mobile/message_fields.hpp"
#include "mobile/messages.hpp"

template <>
inline constexpr auto stretto::dist::last_of<stretto::mobiles::message_queue> =
    stretto::mobiles::message_queue::out_of_order;

namespace stretto::mobiles {

/// The fields that a destination needs for a rejection, too: they stand first.
struct migration_header {
  bool is_retained = false;  // the source keeps the object until it is accepted; the first byte, set last
  bool is_constructed = false;
  migration_epoch epoch = {};
  object_id object = {};
  std::uint64_t type = 0;                   // the mobile_type, as an encoded constant
  data::kept_attachments attachments = {};  // of the data
  std::uint64_t parts = 0;                  // number of the parts that were sent ahead; 0: none
};

/// Seconds that the destination has to report, and the last load_hint().
struct migrated_load {
  double workers = 0, devices = 0, hint = 1;
};

/// A message that waits for the object.
struct migrated_message {
  message_header header = {};
  message_queue queue = {};
  short_name name = {};
  dist::counted_bytes arguments = {};
};

struct migrated_refusal {
  std::uint64_t number = 0;
  failure_ref cause = {};
};

/// A sender_state.
struct migrated_sender {
  dist::node_rank node = {};
  std::uint64_t next = 0;
  std::vector<sender_state::residence> residences = {};
  std::vector<migrated_refusal> refused = {};
  std::vector<std::uint64_t> skipped = {};  // numbers of early messages that will not come
};

/// An object that migrates to the receiver, with its waiting messages and what it knows of its senders.
struct object_migration {
  static constexpr std::string_view message = "mobile.object";
  migration_header header = {};
  short_name name = {};
  migrated_load load = {};
  long_list<std::uint64_t> behind = {};  // for each part that was sent ahead, the number of bytes before it
  dist::counted_bytes bytes = {};        // the data, without these parts
  long_list<migrated_message> messages = {};
  long_list<migrated_sender> senders = {};
};

}  // namespace stretto::mobiles
