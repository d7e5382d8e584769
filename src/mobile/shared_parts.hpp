// shared_parts.hpp - references to the state and the parts of a node's protocol that message_router and both sides of a
// migration use. mobile_objects owns these, and makes one shared_parts for all three.
//
// Threads     None of its own: each part says which.
#pragma once

#include "mobile/message_counters.hpp"
#include "mobile/object_replies.hpp"

namespace stretto::mobiles {

/// A private base class of message_router, migration_departure and migration_arrival.
struct shared_parts {
  dist::job* const job_;  // null in a runtime without a job
  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;  // to messages of this node
  action_runner& runner_;    // runs deferred actions
};

}  // namespace stretto::mobiles
