// derived_event.hpp - events that end when others have: deferred triggers, merges, events of tasks, events that ignore
// failures.
//
// Each uses the waiter inside its own slot. Depending on the role, `link` holds
//   follow, survive     [0] the dependency
//   acquire, release    [0] the dependency   [1] the reservation
//   both                [0] and [1] the two dependencies
//   all                 [0] the first merge_block   [1] how many inputs it still holds; the blocks behind it are full
//
// A merge subscribes to one input at a time, the last first: if its inputs end in order, it is fired once. It checks
// each input once after that input has ended, so the first cause in input order is the last one found.
//
// Threads     any, with their own event_cache.
// Cost        no allocation once warm; a merge of n copies n handles and subscribes about once.
#pragma once

#include "event/event_floor.hpp"
#include "event/event_trigger.hpp"

namespace stretto::detail {

/// The remote_owner that reaches an event of another node; throws E03 if there is none.
remote_owner& owner_of(event e, event_cache& cache);
bool has_ended(dependency d, event_cache& cache);
/// Requires that it has ended.
failure_ref cause_of(dependency d, event_cache& cache);
bool subscribe(dependency d, waiter& w, event_cache& cache, base::thread_context& context);

/// Makes the event of `s`, which is already claimed, wait for `d`; calls `fire` at once if `d` has ended.
void wait_for(slot& s, dependency d, waiter::fire_function fire, event_cache& cache,
              base::thread_context& context) noexcept;

/// A new event that ends as `d` does; or, for role survive, triggers when `d` has ended either way.
event make_follower(dependency d, role r, event_cache& cache, base::thread_context& context,
                    const std::source_location& where);

/// For the order observer: a separate event for inputs that have triggered and, unless it is the default event,
/// `pending`. The observer can thus identify the successors of these inputs.
event make_observed(std::span<const dependency> inputs, dependency pending, event_cache& cache,
                    base::thread_context& context, const std::source_location& where);

/// Input: event or dependency.
template <class Input>
event make_merge(std::span<const Input> inputs, base::thread_context& context, const std::source_location& where);
extern template event make_merge(std::span<const event>, base::thread_context&, const std::source_location&);
extern template event make_merge(std::span<const dependency>, base::thread_context&, const std::source_location&);

/// The waiter function of role follow: ends the slot's event as its dependency ended.
void fire_follow(waiter& self, const failure* cause, base::thread_context& context) noexcept;

}  // namespace stretto::detail
