// rank_messages.hpp - the messages between the ranks of an MPI program, with both ends.
//
// Threads     pure.
// Cost        O(records + deliveries), and sorting the messages.
#pragma once

#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

struct rank_message {
  std::uint32_t from_lane = 0, to_lane = 0;
  nanoseconds sent = 0;     // the call of the send
  nanoseconds arrived = 0;  // the receiver goes on, if it waited; else a receive takes the message
  std::uint64_t bytes = 0;
  std::uint32_t label = 0;  // the call of the receive
};

/// Adds the edges between spans of ranks that no cause names: from each span of a rank to the next one, and where a
/// rank has waited until another node received its message, from the call that received it. Such a rank does not know
/// that call: it names its message as the cause. In any order of the records.
void add_rank_edges(run& r);

/// By the time of the send. Messages whose send was not recorded are left out.
std::vector<rank_message> find_rank_messages(const run& r);

}  // namespace stretto::report
