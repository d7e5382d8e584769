// wait_targets.hpp - what a request waits for: reports of hangs follow it from rank to rank.
//
// Threads     the monitor fills it while the rank that waits is suspended.
#pragma once

#include <vector>

#include "ranks/communicators/group.hpp"
#include "ranks/messages/envelope.hpp"

namespace stretto::ranks {

class mailbox;
class request;

struct wait_targets {
  std::vector<envelope> messages;        // that a rank waits for; the patterns may have wildcards
  std::vector<const mailbox*> receives;  // of these ranks; each has to take a message
  std::vector<world_rank> receivers;     // ranks of other nodes that have to take one
  std::vector<world_rank> ranks;         // that have to join a collective
};

/// Adds those of a request that is not done.
void add_targets(const request& of, wait_targets& to);

}  // namespace stretto::ranks
