// broadcast_message.hpp - one network message that stands for a message to each of many objects, on one or several
// nodes. Common fields are sent once.
//
// Objects are numbered by their distance to the first object, requests by their distance to the first request.
// Consecutive numbers form a run, so that a message to a whole collection has a short header.
//
// Threads     Values.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "mobile/message_fields.hpp"
#include "mobile/messages.hpp"

namespace stretto::mobiles {

/// Messages to consecutive objects, with consecutive requests, that are otherwise equal.
struct message_run {
  std::uint64_t index = 0;     // of the first object
  std::uint64_t position = 0;  // of the first request
  std::uint64_t number = 0, answered_below = 0;
  migration_epoch epoch = {};  // routing_state::epoch
  std::uint32_t count = 1;

  /// Appends a run of one message if it continues this one.
  bool try_append(const message_run& next) noexcept {
    if (next.index != index + count || next.position != position + count || next.number != number ||
        next.answered_below != answered_below || next.epoch != epoch || count == ~std::uint32_t{0})
      return false;
    ++count;
    return true;
  }
};

static_assert(dist::codec_traits::is_block<message_run>);

struct node_messages {
  dist::node_rank node = {};
  std::vector<message_run> runs = {};
};

/// The fields that all messages of a broadcast have in common, but for the name.
struct broadcast_header {
  object_id first = {};
  std::uint64_t first_request = 0;
  std::uint64_t function = 0;
  std::source_location where = {};
  dist::node_rank from = {};
  message_action action = message_action::handle;
  std::int8_t priority = 0;

  /// Sets these fields, the object and the request of one message.
  void fill(remote_message& msg, std::uint64_t index, std::uint64_t position) const;
};

/// A message to objects of a collection, forwarded along a tree of nodes.
struct broadcast_message {
  static constexpr std::string_view message = "mobile.broadcast";
  broadcast_header header = {};
  short_name name = {};
  std::vector<node_messages> nodes = {};  // the first one is the receiver
  std::span<const std::byte> arguments = {};

  /// The i-th message of a run, without arguments.
  std::unique_ptr<remote_message> message_at(const message_run& run, std::uint32_t i) const;
};

}  // namespace stretto::mobiles
