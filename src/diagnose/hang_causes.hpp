// hang_causes.hpp - from who waits for what to why nothing goes on: the ends of all chains of waiting.
//
// Threads     pure.
// Cost        linear in nodes and links, but for reservations: linear for each that is held.
#pragma once

#include "base/wait_snapshot.hpp"

namespace stretto::diagnose {

enum class cause_kind { event, cycle, reservation, barrier, promise, place, unknown };

/// The end of chains of waiting.
struct hang_cause {
  cause_kind kind = cause_kind::unknown;
  std::vector<std::uint32_t> nodes;   // of a cycle in its order, each waits for the next; else one
  std::vector<std::uint32_t> chain;   // from something that waits to the first of `nodes`, both included
  std::size_t waiting = 0;            // how many tasks, bodies, threads, coroutines and scopes wait for it in the end

  bool operator==(const hang_cause&) const = default;
};

/// Every cause, those that hold up most first. Nodes of which nothing is known end no chain, unless nothing else does.
///
/// A held reservation waits for any one of the releases that are under way. One that comes after the reservation's own
/// grant cannot help, so only those that do not lead back to it count.
std::vector<hang_cause> causes_of(const base::wait_snapshot& s);

/// Whether anything waits that a user would miss: a task, a body, a thread, a coroutine or a scope.
bool has_work(const base::wait_snapshot& s);

}  // namespace stretto::diagnose
