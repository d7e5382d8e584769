// protocol_messages.hpp - the messages between nodes: messages to objects, replies to these, where objects are, and
// which belong to failed nodes (mobile_objects.hpp).
//
// An epoch counts the migrations of an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "data/attachments.hpp"
#include "mobile/message_fields.hpp"
#include "mobile/messages.hpp"
#include "mobile/pending_replies.hpp"
#include "mobile/reply_batcher.hpp"

namespace stretto::mobiles {

/// To a node that has sent a message again: the object has handled it on another node.
struct executed_at {
  static constexpr std::string_view message = "mobile.executed_at";
  std::uint64_t request = 0;
  dist::node_rank node = {};
};

/// The object is at that node, or will arrive there, since that migration.
struct location_update {
  static constexpr std::string_view message = "mobile.location_update";
  object_id object = {};
  dist::node_rank location = {};
  migration_epoch epoch = {};
};

/// To the home node: a message that blocks migration has arrived at the sender.
struct pinned_message_arrived {
  static constexpr std::string_view message = "mobile.pinned_message_arrived";
  object_id object = {};
};

/// To the home node: may the object migrate to that node?
struct migration_request {
  static constexpr std::string_view message = "mobile.migration_request";
  object_id object = {};
  dist::node_rank destination = {};
};

/// From the home node: whether the object may migrate.
struct migration_decision {
  static constexpr std::string_view message = "mobile.migration_decision";
  object_id object = {};
  std::optional<migration_epoch> granted_epoch = {};  // none: denied
};

/// From the home node: the object stays at the receiver.
struct migration_cancelled {
  static constexpr std::string_view message = "mobile.migration_cancelled";
  object_id object = {};
  migration_epoch epoch = {};
};

/// To the home node, which has granted a migration: cancel it.
struct cancellation_request {
  static constexpr std::string_view message = "mobile.cancellation_request";
  object_id object = {};
};

/// To the home node: the object has arrived at the sender.
struct object_arrived {
  static constexpr std::string_view message = "mobile.object_arrived";
  object_id object = {};
  migration_epoch epoch = {};
};

/// To the home node, by a node that parks a message: where is the object?
struct location_query {
  static constexpr std::string_view message = "mobile.location_query";
  object_id object = {};
};

/// Is the object there, or will it arrive from `source`?
struct arrival_query {
  static constexpr std::string_view message = "mobile.arrival_query";
  object_id object = {};
  migration_epoch epoch = {};
  dist::node_rank source = {};
};

/// To the home node: the object was to arrive at the sender, and will not.
struct lost_in_transit {
  static constexpr std::string_view message = "mobile.lost_in_transit";
  object_id object = {};
  failure_ref cause = {};
};

/// To the home node: the sender could not construct or read the object.
struct object_failed {
  static constexpr std::string_view message = "mobile.object_failed";
  object_id object = {};
  failure_ref cause = {};
};

/// From the home node: nobody can use the object any more, because of this failure.
struct object_lost {
  static constexpr std::string_view message = "mobile.object_lost";
  object_id object = {};
  failure_ref cause = {};
};

/// The object no longer exists.
struct object_destroyed {
  static constexpr std::string_view message = "mobile.object_destroyed";
  object_id object = {};
};

/// That node is to send its unanswered messages to the object again; 0: to all objects.
struct resend_request {
  static constexpr std::string_view message = "mobile.resend_request";
  object_id object = {};
  dist::node_rank node = {};
};

/// To the source of a migration: has the object left?
struct departure_query {
  static constexpr std::string_view message = "mobile.departure_query";
  object_id object = {};
};

/// From the source: it has not, and will not.
struct not_departed {
  static constexpr std::string_view message = "mobile.not_departed";
  object_id object = {};
};

/// From the home node, which cannot reach the destination: cancel that migration, if the object has not left.
struct recall {
  static constexpr std::string_view message = "mobile.recall";
  object_id object = {};
  migration_epoch epoch = {};
};

/// In reply to a recall: the object has left.
struct already_departed {
  static constexpr std::string_view message = "mobile.already_departed";
  object_id object = {};
  migration_epoch epoch = {};
};

/// From the destination: the source need not keep the object any longer.
struct object_accepted {
  static constexpr std::string_view message = "mobile.object_accepted";
  object_id object = {};
  migration_epoch epoch = {};
};

/// From the destination, which has no memory for the object: the source keeps it.
struct object_rejected {
  static constexpr std::string_view message = "mobile.object_rejected";
  object_id object = {};
  migration_epoch epoch = {};
  failure_ref cause = {};
};

/// All of the above: these are sent after a shard is unlocked.
using small_message =
    std::variant<executed_at, location_update, pinned_message_arrived, migration_request, migration_decision,
                 migration_cancelled, cancellation_request, object_arrived, location_query, arrival_query,
                 lost_in_transit, object_failed, object_lost, object_destroyed, resend_request, departure_query,
                 not_departed, recall, already_departed, object_accepted, object_rejected>;

/// A message to an object.
struct object_message {
  static constexpr std::string_view message = "mobile.message";
  message_header header = {};
  short_name name = {};
  failure_ref refused = {};  // remote_message::refused
  std::span<const std::byte> arguments = {};
};

/// The fields of a reply before the value.
struct reply_header {
  std::uint64_t request = 0;
  failure_ref cause = {};     // null: the value follows
  bool is_permanent = false;  // with a cause: the object accepts no more messages of the receiver
  std::optional<data::kept_attachments> attachments = {};  // of the value
};

/// The handler has returned; what it spawned goes on.
struct value_reply {
  static constexpr std::string_view message = "mobile.value_reply";
  reply_header header = {};
  std::span<const std::byte> value = {};
};

/// The handler has returned, and all that it spawned has ended.
struct value_and_end_reply {
  static constexpr std::string_view message = "mobile.value_and_end_reply";
  reply_header header = {};
  std::span<const std::byte> value = {};
};

/// After a value_reply: all that the handler spawned has ended.
struct end_reply {
  static constexpr std::string_view message = "mobile.end_reply";
  reply_header header = {};
};

/// A reply to one message of a broadcast. No attachments belong to its value.
struct aggregated_reply {
  std::uint64_t request = 0;
  reply_stage what = {};
  failure_ref cause = {};
  bool is_permanent = false;
  short_value value = {};
};

/// Replies to messages of one broadcast. The replying node sends them as encoded_replies (reply_aggregation.hpp).
struct aggregated_replies {
  static constexpr std::string_view message = "mobile.aggregated_replies";
  std::vector<aggregated_reply> replies = {};
};

/// Stands for a value_and_end_reply without a value to each of these requests.
struct batched_replies {
  static constexpr std::string_view message = "mobile.batched_replies";
  reply_batcher::batch requests = {};
};

}  // namespace stretto::mobiles
