// broadcast_message.hpp - one message that is a letter to each of many objects, on one node or on several: what they have in common is said once.
//
// Objects are called by their distance to the first, and the same goes for their requests. What follows one another is said as a run, so that
// a message to a whole collection takes few words.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

/// Letters whose objects and requests are in a row, and that are else the same.
struct message_run {
  std::uint64_t index = 0;     // of the first: its object's distance
  std::uint64_t position = 0;  // its request's
  std::uint64_t number = 0, answered_below = 0;
  std::uint32_t epoch = 0;     // passage::epoch
  std::uint32_t count = 1;

  /// Whether that one of one letter goes on where this ends; then this has it.
  bool try_append(const message_run& next) noexcept {
    if (next.index != index + count || next.position != position + count || next.number != number ||
        next.answered_below != answered_below || next.epoch != epoch || count == ~std::uint32_t{0})
      return false;
    ++count;
    return true;
  }
};

struct node_messages {
  rank node = 0;
  std::vector<message_run> runs;
};

/// What letters to many objects have in common.
struct broadcast_header {
  object_id first = 0;
  std::uint64_t first_request = 0;
  rank from = 0;
  message_action action = message_action::handle;
  std::int8_t priority = 0;
  std::uint64_t function = 0;
  std::source_location where;
  std::string name;

  /// Says so in the letter to the object, and under the request, at those distances.
  void fill(remote_message& msg, std::uint64_t index, std::uint64_t position) const;
};

struct broadcast_message : broadcast_header {
  static constexpr std::size_t run_bytes = 40;

  broadcast_message() = default;
  broadcast_message(const broadcast_header& all, std::span<const std::byte> bytes)
      : broadcast_header(all), arguments(bytes) {}
  /// `node` is whoever has sent it: for lines that cannot be found.
  broadcast_message(dist::reader& from, std::uint16_t node);
  /// Less the arguments, which are to follow.
  void write_header(dist::writer& to, std::span<const node_messages> nodes, std::uint16_t node) const;
  /// The i-th of a run, less its arguments.
  std::unique_ptr<remote_message> message_at(const message_run& run, std::uint32_t i) const;

  std::vector<node_messages> nodes;         // of a message that has come: the first is its receiver's
  std::span<const std::byte> arguments;   // in the message, or the sender's
};

}  // namespace stretto::mobiles
