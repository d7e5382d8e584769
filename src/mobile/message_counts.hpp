// message_counts.hpp - how many letters one node has sent so far, and how many of them are over: to find out that none is on its way.
//
// Threads     a value.
#pragma once

#include <cstdint>

namespace stretto::mobiles {

struct message_counts {
  std::uint64_t begun = 0, ended = 0;  // of this node; what has ended is no larger than what has begun
  std::uint64_t handling = 0;          // handlers for other nodes that run here

  friend bool operator==(const message_counts&, const message_counts&) = default;
};

}  // namespace stretto::mobiles
