// room.hpp - what replicas hold: brought, evicted, freed.
//
// Threads     whoever holds the state's mutex.
#pragma once

#include <span>

#include "objects/task.hpp"

namespace stretto::objects {

/// Sends out of a memory what it takes for those of the plans that are served there to have a chance. True: try again now; false: when
/// something has ended.
/// Throws no_room where nothing would help; where objects live, also where what is in use is in the way.
bool free_memory_for(execution_place& at, std::span<const planned> all, const task& by, base::thread_context& context);

/// Asks other floors to clear that memory. True: they are about to, and the task is tried again when they have; false:
/// they have nothing there.
bool request_clearing(task& by, execution_place& at, base::thread_context& context);

/// Elements that the program sees, or is about to, of an object that stays behind them.
bool is_lasting_view(const task& t) noexcept;

/// Starts copies.
void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context);
/// Brings to the memory beneath what is valid in this replica alone, and frees it behind that. False: there is no room now, and may be
/// when something has ended. Throws A04 where there is none.
bool evict(object_record& o, data::replica_id r, const std::source_location& where, base::thread_context& context);
/// Throws A04.
[[noreturn]] void refuse_eviction(object_record& o, data::replica_id r, const std::source_location& where);
/// What lies in a memory for nothing, because it is valid elsewhere or nowhere any more, leaves until so many bytes are free, or all has
/// left that can: what is not in use and, while `but` leaves another memory, no copy of it. False: nothing left.
bool free_redundant(objects_state& s, execution_place& at, std::uint64_t wanted, const object_record* but, base::thread_context& context);
/// Frees a replica, which has nothing alone, behind what uses it.
void drop(object_record& o, data::replica_id r, base::thread_context& context);

/// What this token was to write is not valid, because of `cause`.
void mark_data_failed(object_record& o, data::token written, const failure_ref& cause);

}  // namespace stretto::objects
