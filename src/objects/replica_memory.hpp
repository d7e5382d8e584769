// replica_memory.hpp - memory of replicas: copies to them, eviction, freeing.
//
// Threads     the thread that holds the state's mutex.
#pragma once

#include <span>

#include "objects/task.hpp"

namespace stretto::objects {

/// Evicts replicas from a memory so that the plans that need it have a chance. Returns true if the caller may try again
/// now, false if it must wait until an operation has ended. Throws insufficient_memory if waiting would not help; in a
/// memory shared with a device, also if memory in use is in the way.
bool free_memory_for(execution_place& at, std::span<const planned> all, const task& by, base::thread_context& context);

/// Asks other floors to free their data in that memory. Returns true if they will: the task is tried again afterwards.
/// Returns false if they have none there.
bool request_clearing(task& by, execution_place& at, base::thread_context& context);

/// Whether the task is a view of the program, issued, of an object that outlives the view.
bool is_lasting_view(const task& t) noexcept;

/// Starts the fills, copies and folds of the plan.
void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context);
/// Copies the elements that are valid in this replica alone to the next memory, and frees the replica after that.
/// Returns false if memory is missing now and may be free when an operation has ended. Throws A04 if no memory can take
/// them.
bool evict(object_record& o, data::replica_id r, const std::source_location& where, base::thread_context& context);
/// Throws A04: the memory of this replica's successor is full.
[[noreturn]] void refuse_eviction(object_record& o, data::replica_id r, const std::source_location& where);
/// Frees replicas that no one needs, because their elements are valid elsewhere or nowhere, until `wanted` bytes are
/// free or none is left. Skips replicas in use and, while `but` is evicted from another memory, its replicas with valid
/// elements. Returns false if nothing was freed.
bool free_redundant(objects_state& s, execution_place& at, std::uint64_t wanted, const object_record* but,
                    base::thread_context& context);
/// Frees a replica that holds no unique data, after the operations that use it.
void drop(object_record& o, data::replica_id r, base::thread_context& context);

/// Marks the data that this token was to write as invalid, because of `cause`.
void mark_data_failed(object_record& o, data::token written, const failure_ref& cause);

}  // namespace stretto::objects
