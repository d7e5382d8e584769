// waiting.hpp - events that end when others have: deferred triggers, merges, tasks' events, survivors of failure.
//
// Each uses the waiter inside its own slot. By role, `link` holds
//   follow, survive     [0] the dependency
//   acquire, release    [0] the dependency   [1] the reservation
//   both                [0] and [1] the two dependencies
//   all                 [0] the first merge_block   [1] how many inputs it still holds; the blocks behind it are full
//
// A merge subscribes to one input at a time, the last first: with inputs that end in order it wakes once. It looks at
// each input once after that input has ended, so the first cause in input order is the last one found.
//
// Threads     any, with their own event_cache.
// Cost        no allocation once warm; a merge of n copies n handles and subscribes about once.
#pragma once

#include "event/event_trigger.hpp"
#include "event/event_floor.hpp"

namespace stretto::detail {

/// Who answers for an event of another node; throws E03 if nobody does.
remote_owner& owner_of(event e, event_cache& cache);
bool has_ended(dependency d, event_cache& cache);
/// Requires that it has ended.
failure_ref cause_of(dependency d, event_cache& cache);
bool subscribe(dependency d, waiter& w, event_cache& cache, base::thread_context& context);

/// Makes `s`'s event (claimed already) wait for `d`, or does at once what its waiter would.
void wait_for(slot& s, dependency d, waiter::fire_function fire, event_cache& cache,
              base::thread_context& context) noexcept;

/// A new event that ends as `d` does; or, for role survive, triggers when `d` has ended either way.
event make_follower(dependency d, role r, event_cache& cache, base::thread_context& context,
                    const std::source_location& where);

/// An event of its own for what has triggered, and `left` if that is not the default event, where an observer must be able
/// to tell who follows it: nothing else is known to whoever asked.
event make_observed(std::span<const dependency> inputs, dependency left, event_cache& cache,
                    base::thread_context& context, const std::source_location& where);

/// Input: event or dependency.
template <class Input>
event make_merge(std::span<const Input> inputs, base::thread_context& context, const std::source_location& where);
extern template event make_merge(std::span<const event>, base::thread_context&, const std::source_location&);
extern template event make_merge(std::span<const dependency>, base::thread_context&, const std::source_location&);

/// Fires for role follow: ends the slot's event as its dependency ended.
void fire_follow(waiter& self, const failure* cause, base::thread_context& context) noexcept;

}  // namespace stretto::detail
