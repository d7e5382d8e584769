// termination_messages.hpp - the messages by which the nodes of a job find out that it is over (termination.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dist/message_codec.hpp"
#include "dist/round_number.hpp"

namespace stretto::dist {

/// From the coordinator: a round has begun.
struct termination_query {
  static constexpr std::string_view message = "termination.query";
  static constexpr bool is_counted = false;
  round_number round = {};
  bool poisons = false;  // what waits in vain is to be poisoned
  std::vector<node_rank> lost = {};
};

/// The counts of messages of the node since the start, when it was idle in that round.
struct termination_reply {
  static constexpr std::string_view message = "termination.reply";
  static constexpr bool is_counted = false;
  round_number round = {};
  std::uint64_t sent = 0, handled = 0, poisoned = 0;
};

/// The job is over.
struct termination_over {
  static constexpr std::string_view message = "termination.over";
  static constexpr bool is_counted = false;
};

}  // namespace stretto::dist
