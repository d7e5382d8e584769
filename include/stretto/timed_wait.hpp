// timed_wait.hpp - waits that give up at a deadline.
//
//     if (!wait(answer, within(20ms))) std::puts("still waiting");
//
// Deadlines go by the clock of the caller's runtime. That is the system's steady clock, or one that the program moves
// by itself, so that a test of deadlines takes no time and gives the same result on any machine:
//
//     const auto clock = std::make_shared<manual_clock>();
//     runtime rt({.clock = clock});
//     ...
//     clock->advance(20ms);  // waits that are due give up
//
// Threads     as without a deadline.
// Memory      as wait, if it returns true.
// Cost        where it has ended already: as wait. Else an event, two allocations and a lock; no thread sleeps for it.
//             A wait that has given up keeps about 100 bytes until what it waited for has ended.
// Invariants  a wait that has given up changes nothing of what it waited for.
#pragma once

#include <stretto/event.hpp>
#include <stretto/manual_clock.hpp>

#include <chrono>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

class barrier;

/// The time by the clock of the caller's runtime; of the steady clock on a thread of no runtime.
std::chrono::steady_clock::time_point time_now() noexcept;

/// The tag of a wait that gives up: made by within(duration) or until(time).
struct deadline {
  std::chrono::steady_clock::time_point at;
};

/// Ends a wait at this time of the steady clock.
inline deadline until(std::chrono::steady_clock::time_point at) noexcept { return {at}; }
/// From time_now() on. What is longer than the clock can count never comes.
template <class Rep, class Period>
deadline within(std::chrono::duration<Rep, Period> time) noexcept {
  using clock = std::chrono::steady_clock;
  const auto now = time_now();
  if (std::chrono::duration<double>(time) >= std::chrono::duration<double>(clock::time_point::max() - now))
    return {clock::time_point::max()};
  return {now + std::chrono::ceil<clock::duration>(time)};
}

/// Suspends the calling task, never its worker, until the event or task has ended or the deadline has passed. A thread
/// that is no worker blocks.
///
///   returns  whether it has ended
///   throws   its failure, if it has ended
///
/// It may return late: by as much as other tasks keep all workers busy, and by up to a pause of the service thread.
bool wait(const dependency& d, deadline by, std::source_location where = std::source_location::current());
/// The same for a phase of a barrier, of this node or of another one of the job.
bool wait(const barrier& b, deadline by, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
