// saved_objects.hpp - a node that is held for a checkpoint: how far it has come to rest, and what is there then.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

struct pause_state {
  std::uint64_t busy_objects = 0;          // objects that a handler has
  std::uint64_t unsettled = 0;     // that are to leave, or have not arrived; letters that wait for such
  std::uint64_t deferred_sends = 0;      // sends that wait for something
  std::uint64_t sent = 0, received = 0;
  std::uint64_t messages = 0;       // begun and ended so far

  /// As far as one look tells. What is said and has not been heard is found by the sum over all nodes, twice the same.
  bool is_drained() const noexcept { return !busy_objects && !unsettled && !deferred_sends && sent == received; }
  pause_state& operator+=(const pause_state& b) noexcept {
    busy_objects += b.busy_objects, unsettled += b.unsettled, deferred_sends += b.deferred_sends;
    sent += b.sent, received += b.received, messages += b.messages;
    return *this;
  }
  friend bool operator==(const pause_state&, const pause_state&) = default;
};

/// Called as its sender and its object call it.
struct awaited_message {
  object_id object = 0;
  std::uint64_t number = 0;
  rank from = 0;
};

struct saved_message {
  message_action action = message_action::handle;
  std::int8_t priority = 0;
  std::uint64_t function = 0, where = 0;  // as constants that travel
  std::string handler = {}, name = {};    // for people
  std::vector<std::byte> arguments = {};
};
struct saved_object {
  object_id id = 0;
  std::uint64_t type = 0;
  std::string type_name = {}, name = {};
  std::vector<std::byte> content = {};
  std::vector<saved_message> messages = {};  // in the order in which they wait
};

}  // namespace stretto::mobiles
