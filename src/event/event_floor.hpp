// event_floor.hpp - the interface of the event floor for other floors. A runtime starts it once; each of its threads
// enters it.
//
// Threads     start and stop: the thread that makes the runtime. enter and leave: the thread that they concern.
// Cost        enter: one small cache; storage grows with untriggered events only.
#pragma once

#include "event/completion.hpp"

namespace stretto::detail {

/// Makes the runtime's event table in its context's slot; stop frees it (all threads have left).
void start_events(base::runtime_context& runtime);
void stop_events(base::runtime_context& runtime) noexcept;
/// Sets the function that receives failures of operations without a task, to report those that nobody observes.
/// Call it before the runtime's threads use events, and with null once they no longer do.
void report_unobserved_to(base::runtime_context& runtime, void (*report)(void* receiver, failure_ref),
                          void* receiver) noexcept;
/// Passes the failure of an operation without a task to that function: of a data operation, a deferred release, or a
/// promise that was destroyed without a value.
void report(const failure_ref& f, base::thread_context& context) noexcept;
/// Gives a thread its caches of slots; leave returns them to the table. Required before any event verb.
void enter_events(base::thread_context& thread);
void leave_events(base::thread_context& thread) noexcept;

/// Links `w`, to be fired when `d` ends; false, with `w` untouched, if `d` has ended.
bool subscribe(dependency d, waiter& w, base::thread_context& context);
/// The cause if `d` has ended poisoned, else null. Requires that `d` has ended.
failure_ref cause_of(dependency d, base::thread_context& context);
bool has_ended(dependency d, base::thread_context& context);

/// make_event: a new untriggered event, which an operation of the runtime will end. end_event: ends any event; a null
/// `cause` triggers it. Throws E01 if the event has ended.
event make_event(base::thread_context& context, const std::source_location& where);
void end_event(event e, failure_ref cause, base::thread_context& context, const std::source_location& where);

/// An event that ends as the task does. The default event if the task is already done and not poisoned.
event event_of(completion& c, base::thread_context& context, const std::source_location& where);

/// At the end of the runtime: poisons with E14 every event that has a waiter and that only the program could have
/// triggered. Returns how many. Work that is skipped as a consequence may leave more such events: call it again until
/// it returns 0. No other thread may be active.
std::size_t poison_untriggered(base::thread_context& context) noexcept;
/// The job cannot make progress on any node, because of `why`. Poisons with it every event that has a waiter and that
/// only the program could have triggered. Completes the missing arrivals of barrier phases that have a waiter,
/// poisoned. Other threads may be active. Returns how many events and phases.
std::size_t poison_stuck(base::thread_context& context, const failure_ref& why) noexcept;

/// The event counts of runtime.statistics(); any thread.
event_statistics event_statistics_of(const base::runtime_context& runtime);

/// Makes a failure from an exception: the root of a chain.
failure_ref make_failure(std::exception_ptr exception, std::string who, const std::source_location& where);

}  // namespace stretto::detail
