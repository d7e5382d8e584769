// session.hpp - what MPI_Session_init makes: a way to use MPI without MPI_Init. Its process sets are all ranks, and the
// rank alone.
//
// Threads     any thread of the rank, one at a time.
#pragma once

#include <string_view>
#include <vector>

#include "ranks/communicators/communicator.hpp"

namespace stretto::ranks {

struct session {
  info hints;
  error_handler_ref handler;
};

/// The names of the process sets, in their order.
const std::vector<std::string_view>& process_sets();

/// The ranks of a process set; `world` has all, and `self` is the calling one. Throws call_error(argument).
group group_of_set(std::string_view name, const communicator& world, const communicator& self);

/// A number for the string by which ranks that create a communicator from groups find each other.
int tag_of_text(std::string_view text);

}  // namespace stretto::ranks
