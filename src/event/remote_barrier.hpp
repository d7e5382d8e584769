// remote_barrier.hpp - the interface to barriers of other nodes, and the operations that other nodes apply to barriers
// of this one.
//
// Threads     all from any thread of the runtime.
#pragma once

#include <source_location>

#include "event/object_ids.hpp"
#include "event/phases.hpp"

namespace stretto {

namespace detail {
class event_table;
}

class remote_barriers {
 public:
  virtual ~remote_barriers() = default;

  virtual bool reaches(detail::barrier_id id) const noexcept = 0;  // all others require it
  /// Sends arrivals. `value` is null, or of the type that `fold` reduces. The owner detects misuse.
  virtual void arrive(detail::barrier_id id, std::uint64_t phase, std::uint32_t count, const failure* cause,
                      const void* value, const detail::phase_fold& fold, base::thread_context& context,
                      const std::source_location& where) = 0;
  /// Returns an event that triggers when the change has taken effect; poisoned with E24 if it cannot.
  virtual event alter(detail::barrier_id id, std::uint64_t phase, std::int32_t delta, base::thread_context& context,
                      const std::source_location& where) = 0;
  /// The state as known here. If it is unknown, the query also subscribes, so that a later query finds the reply.
  virtual bool has_ended(detail::barrier_id id, std::uint64_t phase) = 0;
  virtual event event_at(detail::barrier_id id, std::uint64_t phase, base::thread_context& context,
                         const std::source_location& where) = 0;
  virtual detail::phases::value_state value(detail::barrier_id id, std::uint64_t phase, void* into, std::size_t bytes,
                                            failure_ref& cause) = 0;
  virtual void destroy(detail::barrier_id id, std::uint64_t phase, base::thread_context& context,
                       const std::source_location& where) = 0;
  /// A barrier of this node was destroyed: notifies the other nodes.
  virtual void destroyed(detail::barrier_id id, const failure_ref& why) = 0;
};

namespace detail {

/// Registers `others` for all handles of other nodes. Before the runtime's threads use barriers.
void set_remote_barriers(base::runtime_context& runtime, remote_barriers* others) noexcept;

/// A barrier that was made here; null if it has been destroyed.
phases* find_barrier(barrier_id id, event_table& table) noexcept;
std::uint16_t home_of_barrier(barrier_id id) noexcept;
/// Applies arrivals of another node. Throws E21 and E22, with nothing changed.
void arrive_for_node(barrier_id id, std::uint64_t phase, std::uint32_t count, const failure* cause, const void* value,
                     base::thread_context& context, const std::source_location& where);
/// Throws E22 and E24.
void alter_for_node(barrier_id id, std::uint64_t phase, std::int32_t delta, base::thread_context& context,
                    const std::source_location& where);
/// Throws E22.
void destroy_barrier(barrier_id id, std::uint64_t phase, base::thread_context& context,
                     const std::source_location& where);
/// The failure E22.
failure_ref barrier_gone(barrier_id id, std::uint64_t phase, const std::source_location& where);

}  // namespace detail
}  // namespace stretto
