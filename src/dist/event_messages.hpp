// event_messages.hpp - the messages about events of other nodes (remote_events.hpp).
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

#include "dist/message_codec.hpp"

namespace stretto::dist {

/// To the owner: tell me when this generation of the slot has ended.
struct event_subscription {
  static constexpr std::string_view message = "events.subscribe";
  std::uint32_t slot = 0, generation = 0;
  std::uint32_t known_below = 0;  // poisons of earlier generations are known already
};

/// From the owner: all generations of the slot below `generation` have ended, these by poison.
struct events_ended {
  static constexpr std::string_view message = "events.ended";
  struct poison {
    std::uint32_t generation = 0;
    failure_ref cause = {};
  };
  std::uint32_t slot = 0, generation = 0;
  std::vector<poison> poisons = {};
};

/// To the owner: the sender's program has triggered or poisoned the event.
struct event_end {
  static constexpr std::string_view message = "events.end";
  std::uint32_t slot = 0, generation = 0;
  bool is_known = false;  // to the sender, which need not be notified
  std::source_location where = {};
  failure_ref cause = {};
};

/// From the owner: an end of the receiver's was refused.
struct event_end_refused {
  static constexpr std::string_view message = "events.refused";
  failure_ref why = {};
};

}  // namespace stretto::dist
