// message_counts.hpp - how many messages a node has sent and how many of these have ended: the input of quiescence
// detection.
//
// Threads     A value.
#pragma once

#include <cstdint>

namespace stretto::mobiles {

struct message_counts {
  std::uint64_t begun = 0, ended = 0;  // of this node; ended <= begun
  std::uint64_t handling = 0;          // handlers that run here for other nodes

  friend bool operator==(const message_counts&, const message_counts&) = default;
};

}  // namespace stretto::mobiles
