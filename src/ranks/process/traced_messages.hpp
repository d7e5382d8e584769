// traced_messages.hpp - records in the trace which message each receive takes.
//
// Threads     any.
// Cost        only at trace level full: a lock and a record for each message.
#pragma once

#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {

/// The observer of all mailboxes.
usage_observer& traced_messages();

}  // namespace stretto::ranks
