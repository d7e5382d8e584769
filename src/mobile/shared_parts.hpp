// shared_parts.hpp - the state and the parts of a node's protocol that message_router and both sides of a migration
// use.
#pragma once

#include "mobile/message_counters.hpp"
#include "mobile/object_replies.hpp"

namespace stretto::mobiles {

/// A private base class of these.
struct shared_parts {
  dist::job* const job_;  // null in a runtime without a job
  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
