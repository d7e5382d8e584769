// storage.hpp - replicas as instances: made, and given back.
//
// Threads     whoever holds the state's mutex.
#pragma once

#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

/// What elements of it take in a memory.
std::uint64_t bytes_of(const object_record& o, const box& where) noexcept;
/// For elements of it there.
detail::instance_request request_for(const object_record& o, const box& where, const execution_place& at);
/// Elements of it in memory that objects do not use, the first of them there.
detail::instance_handle outside(const object_record& o, const box& where, std::byte* first, const std::source_location& by);
/// As data's, but not followed by checks of order: objects see to that themselves, and what kernels write is not seen.
detail::instance_handle create(const detail::instance_request& r, const std::source_location& where);
/// Frees an instance of these elements; its room counts as coming until then.
void release(const object_record& o, detail::instance_handle instance, const box& where, execution_place& at, const preconditions& behind,
             base::thread_context& context);
/// An instance that exists at once, or a handle that names nothing.
detail::instance_handle try_allocate(const object_record& o, const box& where, const execution_place& at);
/// One more in `made` for each storage that was planned; false, and none more, where that cannot be.
bool try_allocate(const object_record& o, const data::replica_set::plan& plan, execution_place& at, std::vector<detail::instance_handle>& made);
/// One for each storage that was planned, in order; or the memory where that cannot be, and none.
execution_place* try_allocate(std::span<const planned> all, std::vector<detail::instance_handle>& made);
/// It is a replica from now on.
void add(object_record& o, const data::replica_set::storage& what, detail::instance_handle made);

/// The events that tokens stand for; `events` is kept for its room.
void events_of(std::span<const data::token> tokens, std::vector<event>& events);
/// For operations that fail with whatever they wait for: the ends of `order`, however those end.
void also_wait_for(std::vector<event>& waits, std::span<const event> order, const std::source_location& where);

}  // namespace stretto::objects
