// message_counts.hpp - how many messages a node has sent and how many of these have ended: the input of quiescence
// detection.
//
// Threads     A value.
#pragma once

#include <cstdint>

namespace stretto::mobiles {

/// Of a node, or summed over all.
struct message_counts {
  std::uint64_t begun = 0, ended = 0;  // neither ever decreases; ended <= begun
  std::uint64_t handling = 0;          // handlers that run for other nodes

  friend message_counts& operator+=(message_counts& a, const message_counts& b) noexcept {
    a.begun += b.begun, a.ended += b.ended, a.handling += b.handling;
    return a;
  }
  friend bool operator==(const message_counts&, const message_counts&) = default;
};

}  // namespace stretto::mobiles
