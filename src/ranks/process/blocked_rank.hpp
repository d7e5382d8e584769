// blocked_rank.hpp - a rank that blocks its worker in a system call, for a report.
//
// Threads     any; the rank is not disturbed.
#pragma once

#include <optional>
#include <string>

#include "base/sleeping_thread.hpp"
#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

struct blocked_rank {
  world_rank number;
  std::string call;                      // "read"
  const void* return_address = nullptr;  // in the rank's program, of what it has called; null: unknown
};

/// Whether this process has ranks.
bool has_ranks();

/// The rank that runs in this task, on a thread that sleeps; none if the task is not a rank's.
std::optional<blocked_rank> find_blocked_rank(const void* task, const base::thread_sleep& sleep);

}  // namespace stretto::ranks
