// hang_causes.hpp - analyses a wait graph: finds the nodes at which all chains of waiting end. They are why a program
// hangs.
//
// Threads     pure.
// Cost        linear in nodes and edges, but for reservations: linear for each held one.
#pragma once

#include "base/wait_snapshot.hpp"

namespace stretto::diagnose {

enum class cause_kind { event, cycle, reservation, barrier, promise, place, unknown };

/// The end of wait chains.
struct hang_cause {
  cause_kind kind = cause_kind::unknown;
  std::vector<std::uint32_t> nodes;  // a cycle in order, each waits for the next; else one node
  std::vector<std::uint32_t> chain;  // from a waiting node to the first of `nodes`, both included
  std::size_t waiting = 0;           // tasks, bodies, threads, coroutines and scopes that wait for it, also indirectly

  bool operator==(const hang_cause&) const = default;
};

/// Returns all causes, those with most waiting work first. A node of unknown kind is a cause only if there is no other.
///
/// A held reservation waits for any one of its pending releases. A release that itself waits for the reservation cannot
/// help, so only releases that do not lead back to it count.
std::vector<hang_cause> causes_of(const base::wait_snapshot& s);

/// True if a task, a body, a thread, a coroutine or a scope waits, or a task is running.
bool has_work(const base::wait_snapshot& s);

}  // namespace stretto::diagnose
