// telling.hpp - what the event floor knows of who waits for what, for reports of a runtime that hangs.
//
// Threads     any, while others run: what it tells then may be wrong in parts, and never touches what is gone.
// Cost        one look at every slot, and a system call per waiter that is linked.
#pragma once

#include "base/context.hpp"
#include "base/wait_snapshot.hpp"
#include "event/event_table.hpp"

namespace stretto::detail {

/// Adds events that something waits for, phases of barriers and reservations; `linked` holds all their waiters.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
/// The waiters of `list`, which wait for node `target`.
void add_waiters(const waiter* list, std::uint32_t target, base::wait_walk& walk);
/// What a task or promise is called in a dependency; its node is at(wait_kind::task, that).
inline std::uint64_t bits_of_record(const void* record) noexcept {
  return reinterpret_cast<std::uintptr_t>(record) | std::uint64_t{1} << 63;
}
inline const void* record_in(std::uint64_t bits) noexcept { return reinterpret_cast<const void*>(bits & ~(std::uint64_t{1} << 63)); }
/// The key of a barrier's phase.
inline std::uint64_t key_of_phase(std::uint64_t barrier, std::uint64_t phase) noexcept { return barrier * 0x9e3779b97f4a7c15u + phase; }
/// The node of a dependency.
std::uint32_t node_of_dependency(std::uint64_t bits, base::wait_walk& walk);

// By barrier.cpp and reservation.cpp.
void add_barriers(event_table& table, base::wait_walk& walk);
void add_reservations(event_table& table, base::wait_walk& walk);
/// One that is held here, wherever it was made.
class reservation_state;
void add_reservation(std::uint64_t id, reservation_state& h, base::wait_walk& walk);

}  // namespace stretto::detail
