// event_wait_graph.hpp - the event floor's part of the wait graph of a hang report.
//
// Threads     any, while others run: the result may then be wrong in parts, but no freed memory is touched.
// Cost        a visit of every slot, and a system call per linked waiter.
#pragma once

#include "base/context.hpp"
#include "base/numbers.hpp"
#include "base/wait_snapshot.hpp"
#include "event/event_table.hpp"
#include "event/object_ids.hpp"

namespace stretto::detail {

/// Adds events that something waits for, phases of barriers, and reservations; puts all their waiters into `linked`.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
/// Adds the waiters of `list`, which wait for node `target`.
void add_waiters(const waiter* list, std::uint32_t target, base::wait_walk& walk);
/// The bits of a dependency on a task or promise; its node is at(wait_kind::task, bits).
inline std::uint64_t bits_of_record(const void* record) noexcept {
  return reinterpret_cast<std::uintptr_t>(record) | std::uint64_t{1} << 63;
}
inline const void* record_in(std::uint64_t bits) noexcept {
  return reinterpret_cast<const void*>(bits & ~(std::uint64_t{1} << 63));
}
/// The key of a barrier's phase.
inline std::uint64_t key_of_phase(barrier_id barrier, std::uint64_t phase) noexcept {
  return base::value_of(barrier) * 0x9e3779b97f4a7c15u + phase;
}
/// The node of a dependency.
std::uint32_t node_of_dependency(std::uint64_t bits, base::wait_walk& walk);

// Defined in barrier.cpp and reservation.cpp.
void add_barriers(event_table& table, base::wait_walk& walk);
void add_reservations(event_table& table, base::wait_walk& walk);
/// Adds a reservation that is held here, whichever node made it.
class reservation_state;
void add_reservation(reservation_id id, reservation_state& h, base::wait_walk& walk);

}  // namespace stretto::detail
