// telling.hpp - what the event floor knows of who waits for what, for reports of a runtime that hangs.
//
// Threads     any, while others run: what it tells then may be wrong in parts, and never touches what is gone.
// Cost        one look at every slot, and a system call per waiter that is linked.
#pragma once

#include "base/context.hpp"
#include "base/wait_snapshot.hpp"
#include "event/table.hpp"

namespace stretto::detail {

/// Adds events that something waits for, phases of barriers and reservations; `linked` holds all their waiters.
void tell_waits(const base::runtime_context& runtime, base::wait_walk& walk);
/// The waiters of `list`, which wait for node `target`.
void tell_waiters(const waiter* list, std::uint32_t target, base::wait_walk& walk);
/// The node of a dependency.
std::uint32_t node_of_dependency(std::uint64_t bits, base::wait_walk& walk);

// By barrier.cpp and reservation.cpp.
void tell_barriers(event_table& table, base::wait_walk& walk);
void tell_reservations(event_table& table, base::wait_walk& walk);

}  // namespace stretto::detail
