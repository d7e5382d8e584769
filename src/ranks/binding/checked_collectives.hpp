// checked_collectives.hpp - compares the collectives of all ranks of a communicator (R13).
//
// The ranks of a node are compared with the first of them that begins. That one is compared with those of other nodes,
// on the node of the communicator's first rank.
//
// Threads     any thread of a rank; begun_elsewhere: any.
#pragma once

#include "ranks/binding/call_texts.hpp"
#include "ranks/communicators/communicator.hpp"
#include "ranks/node_messages.hpp"

namespace stretto::ranks::usage_check {

/// The calling rank begins the collective with this number of a communicator.
void begins(const collective_arguments& a, const communicator& over, int number);
/// Ranks of one node have begun one. On the node of the communicator's first rank.
void begun_elsewhere(const collective_notice& notice);

}  // namespace stretto::ranks::usage_check
