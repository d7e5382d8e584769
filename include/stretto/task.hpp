// task.hpp - async: host code that runs when its preconditions have ended, where it is told, and may suspend.
//
//     auto a = async([] { return 1; });
//     auto b = async(after(a), name("double"), [a] { return 2 * a.get(); });
//     int four = 2 * b.get();                    // suspends this task, not its worker
//     wait(when_all(a, b));
//
// Threads     any thread that belongs to a runtime: workers, and threads with an attachment.
// Memory      what happened before async() is visible in the body; what the body did, after its future is ready.
// Cost        an ignored or immediately awaited empty task: about 15 ns; no heap allocation once warm, no lock.
// Invariants  (1) a body runs exactly once, or is skipped because a precondition is poisoned. (2) what a body
//             throws poisons its future; nothing is lost. (3) a task that never waits never owns a stack.
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

/// Runs `body` as a task and returns the future of what it returns.
///
///   tags     any of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"), profile(into),
///   in
///            any order, before the body. Two that say the same kind of thing, as at and on do, do not compile
///   throws   B20 on a thread of no runtime; S02 for a place that no worker's paths reach; S03 for a worker or
///            processor that does not exist
///   cost     15 ns; 5 to 10 more per precondition that has not ended
///
///     auto a = async([] { return 1; });
///     auto b = async(after(a), name("double"), [a] { return 2 * a.get(); });
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

/// Suspends the calling task, never its worker, until the event or task has ended; throws its failure. The only
/// waiting there is. A thread that is no worker blocks.
void wait(const dependency& d, std::source_location where = std::source_location::current());
/// The same for a barrier's phase. Cost: two loads if it has happened; no event slot if it is about to.
void wait(const barrier& b, std::source_location where = std::source_location::current());

/// Lets other ready tasks of this worker go first. It goes on after at most 64 of them for each yielded or bound task
/// that is ahead of it, also where more keep coming.
void yield(std::source_location where = std::source_location::current());

/// True while the caller's worker has nothing queued that others could take: the moment to spawn a part of one's own
/// work. A long search or loop that asks now and then makes as many tasks as there are idle workers, and no more.
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

/// Happens when all have; poisoned, once all have ended, with the first poisoned one's cause.
template <class... T>
future<void> when_all(const future<T>&... futures);
/// The index of the first that succeeded; poisoned only if all are. `events` is not empty (S05).
future<std::size_t> when_any(std::span<const dependency> events,
                             std::source_location where = std::source_location::current());
template <class... T>
future<std::size_t> when_any(const future<T>&... futures) {
  const std::array<dependency, sizeof...(T)> given{static_cast<dependency>(futures)...};
  return when_any(std::span<const dependency>(given));
}
template <class... T>
future<void> when_all(const future<T>&... futures) {
  return async(after(futures...), [] {});
}

/// Which worker runs the caller, if one does.
std::uint32_t this_worker();

}  // namespace stretto

STRETTO_API_END
