// cancel.hpp - cancels a task that has not begun, on this node or another.
//
//     double refine_or_guess(future<double> input, bool is_guess_enough) {
//       const future<double> refined = async(after(input), [=] { return input.get() / 3; });
//       const event printed = async(after(refined), [=] { std::printf("%g\n", refined.get()); });
//       if (is_guess_enough && cancel(refined)) {
//         // refined is poisoned with S18, and printed is skipped.
//         return 0.3;
//       }
//       wait(printed);
//       return refined.get();
//     }
//
// A program can cancel tasks that async, call, when_all and forasync have spawned, whether they still wait for
// something or are ready. A cancelled task's future is poisoned at once with S18, and what depends on it fails as with
// any failed precondition. A finish does not rethrow the cancellation itself, because the program asked for it; it
// rethrows the failures of dependent tasks.
//
// Operations that return events, such as copies and launches, cannot be cancelled directly. Cancelling a task that they
// wait for skips them.
//
// Threads     any thread of the runtime.
// Memory      a cancelled task has not run; its body has been destroyed when cancel returns.
// Cost        a lock and a system call of microseconds. For a task of another node: a message there and one back, while
//             the caller is suspended, and a search among the tasks under way on other nodes.
// Invariants  (1) a task runs, or a cancel of it has returned true; never both. (2) of several cancels of one task one
//             returns true.
// Source      cancellation of operations: Realm's Event::cancel_operation. Ours never stops a task that has begun.
#pragma once

#include <stretto/future.hpp>

#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
bool cancel_operation(completion& c, const std::source_location& where);
}

/// Cancels a task that has not begun: it does not run, and its future is poisoned with S18.
///
///   returns  true if this call cancelled the task. False if the task runs, has ended or was skipped, or if it cannot
///            be cancelled: futures of promises and of operations that are more than one task (messages to mobile
///            objects, files, checkpoints)
///   throws   B20 on a thread of no runtime, E13 for an empty future
template <class T>
bool cancel(const future<T>& f, std::source_location where = std::source_location::current()) {
  if (!f.valid()) detail::no_value("cancel", where);
  return detail::cancel_operation(*static_cast<dependency>(f).task(), where);
}

}  // namespace stretto

STRETTO_API_END
