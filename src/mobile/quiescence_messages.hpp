// quiescence_messages.hpp - the messages by which nodes find out that no message to a mobile object is under way.
#pragma once

#include <cstdint>
#include <string_view>

#include "dist/round_number.hpp"
#include "mobile/message_counts.hpp"

namespace stretto::mobiles {

/// A round has begun at the sender.
struct quiescence_query {
  static constexpr std::string_view message = "quiescence.query";
  dist::round_number round = {};
};

/// The counts of the replying node, when they were equal.
struct quiescence_reply {
  static constexpr std::string_view message = "quiescence.reply";
  dist::round_number round = {};
  message_counts counts = {};
};

}  // namespace stretto::mobiles
