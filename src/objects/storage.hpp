// storage.hpp - allocates and frees the instances that store replicas.
//
// Threads     the thread that holds the state's mutex.
#pragma once

#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

/// The memory that these elements take.
std::uint64_t bytes_of(const object_record& o, const box& where) noexcept;
/// The request for an instance of these elements in the memory of `at`.
detail::instance_request request_for(const object_record& o, const box& where, const execution_place& at);
/// An instance of these elements over memory of the program, whose first element is at `first`.
detail::instance_handle external_instance(const object_record& o, const box& where, std::byte* first,
                                          const std::source_location& by);
/// data::create_instance without race checks: objects order their own accesses, and accesses of kernels are not
/// visible.
detail::instance_handle create(const detail::instance_request& r, const std::source_location& where);
/// Frees an instance of these elements after `behind`. Until then its bytes count in execution_place::leaving.
void release(const object_record& o, detail::instance_handle instance, const box& where, execution_place& at,
             const preconditions& behind, base::thread_context& context);
/// An instance that exists at once, or an empty handle.
detail::instance_handle try_allocate(const object_record& o, const box& where, const execution_place& at);
/// Appends one instance to `made` for each planned storage. Returns false, and appends none, if one does not fit.
bool try_allocate(const object_record& o, const data::replica_set::plan& plan, execution_place& at,
                  std::vector<detail::instance_handle>& made);
/// Allocates all planned storage in order. Returns null; or, with nothing allocated, the place whose memory is full.
execution_place* try_allocate(std::span<const planned> all, std::vector<detail::instance_handle>& made);
/// Makes the instance a replica of the object.
void add(object_record& o, const data::replica_set::storage& what, detail::instance_handle made);

/// The events of these tokens; `events` is reused to save an allocation.
void events_of(std::span<const data::token> tokens, std::vector<event>& events);
/// Adds the events of `order` to `waits`, the preconditions of an operation, so that it waits for them but does not
/// fail with them.
void also_wait_for(std::vector<event>& waits, std::span<const event> order, const std::source_location& where);

}  // namespace stretto::objects
