// timed_wait.hpp - wait with a deadline.
//
//     int value_or_minus_one(const future<int>& reply) {
//       using namespace std::chrono_literals;
//       if (!wait(reply, within(20ms))) return -1;  // the task goes on; its future stays valid
//       return reply.get();
//     }
//     bool comes_by_noon(event e, std::chrono::steady_clock::time_point noon) { return wait(e, until(noon)); }
//
// Deadlines refer to the clock of the caller's runtime: the system's steady clock, or a manual_clock that the program
// advances itself. With the latter, a test of deadlines takes no time and gives the same result on any machine.
//
// Threads     as wait without a deadline.
// Memory      as wait, if it returns true.
// Cost        if the event has ended: as wait. Otherwise an event, two allocations and a lock; no thread sleeps for it.
//             A wait that timed out keeps about 100 bytes until the event has ended.
// Invariants  a wait that timed out leaves the event or task unchanged.
#pragma once

#include <stretto/event.hpp>
#include <stretto/manual_clock.hpp>

#include <chrono>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

class barrier;

/// The current time of the clock of the caller's runtime; of the steady clock on a thread of no runtime.
std::chrono::steady_clock::time_point time_now() noexcept;

/// The deadline of a wait. Made by within(duration) or until(time).
struct deadline {
  std::chrono::steady_clock::time_point at;  // by the clock of the runtime
};

/// A deadline at this time of the runtime's clock.
inline deadline until(std::chrono::steady_clock::time_point at) noexcept { return {at}; }
/// A deadline after this duration from time_now(). A duration beyond the range of the clock means no deadline.
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
///   returns  true if it has ended, false if the deadline has passed
///   throws   the failure of the event or task, if it has ended; B20 on a thread of no runtime
///
/// The call may return late: by as long as other tasks keep all workers busy, and by up to one interval of the service
/// thread.
bool wait(const dependency& d, deadline by, std::source_location where = std::source_location::current());
/// As wait with a deadline, for a phase of a barrier, of this node or of another one of the job. Throws also what
/// barrier::event throws.
bool wait(const barrier& b, deadline by, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
