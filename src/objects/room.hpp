// room.hpp - replicas as instances: made, copied, evicted, freed.
//
// Threads     whoever holds the state's mutex.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

/// An instance, which exists at once, for each storage that was planned, in order; or none at all.
bool try_allocate(std::span<const planned> all, site& at, std::vector<detail::instance_handle>& made);
/// It is a replica from now on.
void add(object_record& o, const data::replica_set::storage& what, detail::instance_handle made);

/// Sends out of a memory what it takes for the plans to have a chance there. True: try again now; false: when something has ended.
/// Throws A04 where nothing would help.
bool make_room(site& at, std::span<const planned> all, const task& by, base::thread_context& context);

/// Starts copies.
void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context);
/// Brings to the host what is valid in this replica alone, and frees it behind that. Throws A04 where the host has no room.
void evict(object_record& o, data::replica_id r, const std::source_location& where, base::thread_context& context);
/// Frees a replica, which has nothing alone, behind what uses it.
void drop(object_record& o, data::replica_id r, base::thread_context& context);

/// The events that tokens stand for, but those that have always happened.
std::vector<event> events_of(std::span<const data::token> tokens);

}  // namespace stretto::objects
