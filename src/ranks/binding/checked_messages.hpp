// checked_messages.hpp - compares messages with the receives that take them: types (R11) and lengths (R12).
//
// Threads     any.
#pragma once

#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks::usage_check {

/// The observer of all mailboxes. It passes on which collectives ranks of other nodes begin.
usage_observer& matched_messages();

}  // namespace stretto::ranks::usage_check
