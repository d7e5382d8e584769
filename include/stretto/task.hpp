// task.hpp - async: spawns a host task, with preconditions, a place and a priority; wait and yield.
//
//     int four() {
//       auto a = async([] { return 1; });
//       auto b = async(after(a), name("double"), [a] { return 2 * a.get(); });
//       auto c = async(priority(1), [] { return 7; });
//       wait(when_all(a, b, c));   // suspends this task, not its worker
//       return 2 * b.get();
//     }
//
// Threads     any thread that belongs to a runtime: workers, and threads with an attachment.
// Memory      writes before async() are visible in the body; writes of the body, once its future is ready.
// Cost        an empty task whose future is dropped or awaited at once: about 15 ns, without a lock and, once earlier
//             tasks have ended, without a heap allocation.
// Invariants  (1) a body runs exactly once, or is skipped because a precondition is poisoned. (2) an exception of the
//             body poisons its future. (3) a task that never waits never owns a stack.
#pragma once

#include <stretto/detail/spawn.hpp>
#include <stretto/detail/tags.hpp>
#include <stretto/detail/task_request.hpp>
#include <stretto/future.hpp>
#include <stretto/place.hpp>
#include <stretto/task_tags.hpp>

STRETTO_API_BEGIN

namespace stretto {

class barrier;

/// Runs `body` as a task and returns the future of its result.
///
///   tags     any of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"), profile(into),
///            in any order, before the body. Two tags of one kind, such as at and on, do not compile
///   throws   B20 on a thread of no runtime; S02 for a place that no worker's paths reach; S03 for a worker or
///            processor that does not exist; S04 for a priority outside of -128 to 127
///   cost     15 ns; 5 to 10 ns more per precondition that has not ended
template <detail::task_body F>
auto async(F&& body, std::source_location where = std::source_location::current()) {
  return detail::spawn(std::forward<F>(body), where);
}
template <class... A>
  requires(detail::task_body<A> || ...)
auto async(detail::first_tag<detail::task_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<detail::task_body F>(F&& body, std::same_as<std::source_location> auto... called) {
        return detail::spawn_as(first.request, std::forward<F>(body), detail::called_at(first.where, called...));
      },
      std::forward<A>(rest)...);
}

/// Suspends the calling task, never its worker, until the event or task has ended. A thread that is no worker blocks.
///
///   throws   the failure of the event or task; B20 on a thread of no runtime; S14 if the task would wait for itself;
///            S11 if there is no memory for another task stack
void wait(const dependency& d, std::source_location where = std::source_location::current());
/// As wait, for a phase of a barrier. Throws also what barrier::event throws. Cost: two loads if the phase has
/// triggered.
void wait(const barrier& b, std::source_location where = std::source_location::current());

/// Suspends the calling task and runs other ready tasks of its worker first. The task resumes after at most 64 of them
/// for each yielded or bound task that is queued before it. Throws B20 on a thread of no runtime.
void yield(std::source_location where = std::source_location::current());

/// True while the caller's worker has no queued task that another worker could steal. A long search or loop that spawns
/// a part of its work whenever this is true creates only about as many tasks as there are idle workers.
///
///   returns  false on a thread that is no worker
///   cost     a call and three loads
///   source   Tzannes, Caragea, Barua, Vishkin: "Lazy binary-splitting", PPoPP 2010
///
///     while (!stack.empty()) {
///       expand(stack);                                     // a depth-first search, with a stack of its own
///       if (stack.size() > 1 && should_split())
///         async([older = take_older_half(stack)] { search(older); });
///     }
bool should_split() noexcept;

/// A future that is ready when all of these have ended. It is poisoned with the cause of the first poisoned one. Throws
/// B20, and E13 for an empty future.
template <class... T>
future<void> when_all(const future<T>&... futures) {
  return async(after(futures...), [] {});
}
/// The index of the first of these to succeed; poisoned only if all fail. Throws B20, S05 if `events` is empty, and E13
/// for an empty future.
future<std::size_t> when_any(std::span<const dependency> events,
                             std::source_location where = std::source_location::current());
template <class... T>
future<std::size_t> when_any(const future<T>&... futures) {
  const std::array<dependency, sizeof...(T)> given{static_cast<dependency>(futures)...};
  return when_any(std::span<const dependency>(given));
}

/// The number of the worker that runs the caller. Threads that are attached to the runtime have numbers behind those of
/// the workers. With one worker and attached threads another thread may run tasks as worker 0 while the body of run
/// waits, so two tasks of one number may run at once. Throws B20 on a thread of no runtime.
std::uint32_t this_worker();

}  // namespace stretto

STRETTO_API_END
