// quiescence_messages.hpp - the messages by which nodes find out that no message to a mobile object is under way.
#pragma once

#include <cstdint>
#include <string_view>

#include "mobile/message_counts.hpp"

namespace stretto::mobiles {

/// A round has begun at the sender.
struct quiescence_query {
  static constexpr std::string_view message = "quiescence.query";
  std::uint64_t round = 0;
};

/// The counts of the replying node, when they were equal.
struct quiescence_reply {
  static constexpr std::string_view message = "quiescence.reply";
  std::uint64_t round = 0;
  message_counts counts = {};
};

}  // namespace stretto::mobiles
