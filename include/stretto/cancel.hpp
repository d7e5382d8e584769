// cancel.hpp - withdrawing a task that has not begun, on this node or another.
//
//     const future<result> guess = async(after(input), [=] { return evaluate(other_branch); });
//     ...
//     if (cancel(guess)) std::puts("not needed");
//
// A program can cancel tasks that async, call, when_all and forasync have spawned, whether they still wait for
// something or are ready. A cancelled task's future is poisoned at once with S18, and what depends on it fails as with
// any failed precondition. No finish throws the task's own failure, since somebody asked for it; it throws those of its
// dependents.
//
// Operations that return events, as copies and launches do, are not cancelled themselves: they follow a task that is.
//
//     const future<void> go = async(after(ready), [] {});
//     const event there = copy(u, v, after(go));  // cancel(go): nothing is copied, and `there` is poisoned
//
// Threads     any of the runtime.
// Memory      a task that was cancelled has not touched anything; its body has been destroyed when this returns.
// Cost        a lock and a system call of microseconds. Of a task of another node: a message there and one back, for
//             which the caller is suspended, and a look at each task under way elsewhere.
// Invariants  (1) a task runs, or a cancel of it has returned true; never both. (2) of several cancels of one task one
//             returns true.
// Source      cancellation of operations: Realm's Event::cancel_operation; here it never stops what has begun.
#pragma once

#include <stretto/future.hpp>

#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
bool cancel_operation(completion& c, const std::source_location& where);
}

/// Sees to it that a task does not run, if it has not begun.
///
///   returns  whether it will not run because of this call. False where it runs or has ended, was skipped, or cannot be
///            cancelled: futures of promises and of operations that are more than one task (messages to mobile objects,
///            files, checkpoints)
///   throws   B20 on a thread of no runtime, E13 for an empty future
template <class T>
bool cancel(const future<T>& f, std::source_location where = std::source_location::current()) {
  if (!f.valid()) detail::no_value("cancel", where);
  return detail::cancel_operation(*static_cast<dependency>(f).task(), where);
}

}  // namespace stretto

STRETTO_API_END
