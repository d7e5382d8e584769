// room.hpp - replicas as instances: made, copied, evicted, freed.
//
// Threads     whoever holds the state's mutex.
#pragma once

#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

/// For elements of it there.
detail::instance_request request_for(const object_record& o, const box& where, const site& at);
/// Frees an instance of these elements; its room counts as coming until then.
void release(const object_record& o, detail::instance_handle instance, const box& where, site& at, const preconditions& behind,
             base::thread_context& context);
/// An instance that exists at once, or a handle that names nothing.
detail::instance_handle try_allocate(const object_record& o, const box& where, const site& at);
/// One more in `made` for each storage that was planned; false, and none more, where that cannot be.
bool try_allocate(const object_record& o, const data::replica_set::plan& plan, site& at, std::vector<detail::instance_handle>& made);
/// One for each storage that was planned, in order; false, and none, where that cannot be.
bool try_allocate(std::span<const planned> all, site& at, std::vector<detail::instance_handle>& made);
/// It is a replica from now on.
void add(object_record& o, const data::replica_set::storage& what, detail::instance_handle made);

/// Sends out of a memory what it takes for the plans to have a chance there. True: try again now; false: when something has ended.
/// Throws A04 where nothing would help.
bool make_room(site& at, std::span<const planned> all, const task& by, base::thread_context& context);

/// Starts copies.
void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context);
/// Brings to the memory beneath what is valid in this replica alone, and frees it behind that. Throws A04 where there is no room.
void evict(object_record& o, data::replica_id r, const std::source_location& where, base::thread_context& context);
/// Frees a replica, which has nothing alone, behind what uses it.
void drop(object_record& o, data::replica_id r, base::thread_context& context);

/// What this token was to write is not valid, because of `cause`.
void content_failed(object_record& o, data::token written, const failure_ref& cause);
/// The events that tokens stand for; `events` is kept for its room.
void events_of(std::span<const data::token> tokens, std::vector<event>& events);

}  // namespace stretto::objects
