// saved_objects.hpp - a node that is paused for a checkpoint: how far it has drained, and its saved objects.
//
// Threads     Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

struct pause_state {
  std::uint64_t busy_objects = 0;    // objects that a handler uses
  std::uint64_t unsettled = 0;       // leaving or expected objects, and messages that wait for them
  std::uint64_t deferred_sends = 0;  // sends that wait for an event
  std::uint64_t sent = 0, received = 0;
  std::uint64_t messages = 0;  // begun and ended so far

  /// For one node only. A message under way shows in the sums over all nodes, which must be drained and equal twice.
  bool is_drained() const noexcept { return !busy_objects && !unsettled && !deferred_sends && sent == received; }
  pause_state& operator+=(const pause_state& b) noexcept {
    busy_objects += b.busy_objects, unsettled += b.unsettled, deferred_sends += b.deferred_sends;
    sent += b.sent, received += b.received, messages += b.messages;
    return *this;
  }
  friend bool operator==(const pause_state&, const pause_state&) = default;
};

/// A message as its sender and its object know it.
struct awaited_message {
  object_id object = {};
  std::uint64_t number = 0;
  rank from = 0;
};

struct saved_message {
  message_action action = message_action::handle;
  std::int8_t priority = 0;
  std::uint64_t function = 0, where = 0;  // as encoded constants
  std::string handler = {}, name = {};    // for people
  std::vector<std::byte> arguments = {};
};
struct saved_object {
  object_id id = {};
  std::uint64_t type = 0;
  std::string type_name = {}, name = {};
  std::vector<std::byte> content = {};
  std::vector<saved_message> messages = {};  // in the order of the queue
};

}  // namespace stretto::mobiles
