// event_floor.hpp - what other floors ask of the event floor; started per runtime, entered per thread.
//
// Threads     start and stop: the thread that makes the runtime. enter and leave: the thread they concern.
// Cost        enter: one small cache; storage grows with untriggered events only.
#pragma once

#include "event/completion.hpp"

namespace stretto::detail {

/// Makes the runtime's event table in its context's slot; stop frees it (all threads have left).
void start_events(base::runtime_context& runtime);
void stop_events(base::runtime_context& runtime) noexcept;
/// Who is told of failures behind which no task stands, so that they come to light if nobody observes them.
/// Before the runtime's threads use events; null once they use none any more.
void report_unobserved_to(base::runtime_context& runtime, void (*tell)(void* receiver, failure_ref),
                          void* receiver) noexcept;
/// Such a failure: of a data operation, a deferred release, a promise that was let go.
void report(const failure_ref& f, base::thread_context& context) noexcept;
/// Gives a thread its caches of slots; leave returns them to the table. Required before any event verb.
void enter_events(base::thread_context& thread);
void leave_events(base::thread_context& thread) noexcept;

/// Links `w` to be fired when `d` ends; false, with `w` untouched, if it already has.
bool subscribe(dependency d, waiter& w, base::thread_context& context);
/// The cause if `d` has ended poisoned, else null; valid as long as the event's runtime or the task's future.
/// Requires that `d` has ended.
failure_ref cause_of(dependency d, base::thread_context& context);
bool has_ended(dependency d, base::thread_context& context);

/// New untriggered event of an operation of the runtime, which will end it / the end of any event. `end_event` throws E01 if
/// it had ended; `cause` null triggers it.
event make_event(base::thread_context& context, const std::source_location& where);
void end_event(event e, failure_ref cause, base::thread_context& context, const std::source_location& where);

/// An event that follows a task's completion: the slot is made when someone asks. The default event if the task
/// is already done and not poisoned.
event event_of(completion& c, base::thread_context& context, const std::source_location& where);

/// The runtime ends: poisons (E14) every event that something waits for and that only the program could have
/// triggered. Returns how many; what is skipped or thrown because of that may leave more. No other thread is active.
std::size_t poison_untriggered(base::thread_context& context) noexcept;
/// Nothing can go on any more, on any node, because of `why`: poisons with it every event that something waits for and that only the program could
/// have triggered, and phases of barriers that lack arrivals, for which those that are missing come, poisoned. Other threads may be about.
/// Returns how many.
std::size_t poison_stuck(base::thread_context& context, const failure_ref& why) noexcept;

/// What runtime.statistics() reports of events; any thread.
event_statistics event_statistics_of(const base::runtime_context& runtime);

/// From exception to cause: the chain's root.
failure_ref make_failure(std::exception_ptr exception, std::string who, const std::source_location& where);

}  // namespace stretto::detail
