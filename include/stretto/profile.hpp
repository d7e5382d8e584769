// profile.hpp - the profile of one operation: times of its creation, start and end, its worker, and its bytes.
//
//     double bytes_per_second(const instance<float>& u, const instance<float>& v, event computed) {
//       future<operation_profile> profile_of_copy;
//       const event copied = copy(u, v, {after(computed), profile(profile_of_copy)});
//       wait(copied);
//       const operation_profile& p = profile_of_copy.get();
//       return double(p.bytes) / std::chrono::duration<double>(p.running()).count();
//     }
//
// Threads     those of a future: the profile is a value that becomes ready once, also if the operation fails.
// Cost        with the tag: a heap allocation, a promise, and four reads of std::chrono::steady_clock. Without:
//             nothing.
// Invariants  created <= ready <= started <= ended. A skipped operation has ready == started == ended.
// Source      per-operation profiling requests: Realm. Ours delivers one value through a future.
#pragma once

#include <stretto/future.hpp>
#include <stretto/task.hpp>

#include <chrono>

STRETTO_API_BEGIN

namespace stretto {

/// The way in which an operation ended.
enum class outcome : std::uint8_t {
  succeeded,
  failed,   // the operation itself
  skipped,  // because a precondition had failed
};

/// The profile of one operation. The tag profile(into) requests it.
struct operation_profile {
  using clock = std::chrono::steady_clock;

  std::string operation;                // `task "halo"`, `copy of instance "u" to instance "v"`
  std::source_location where;           // the call
  clock::time_point created;            // the call
  clock::time_point ready;              // all preconditions had ended
  clock::time_point started;            // its first instruction, or its first byte
  clock::time_point ended;              // the end of its last part
  clock::duration suspended{};          // of a task, between started and ended: off every worker
  std::uint32_t suspensions = 0;        // of a task
  std::uint32_t worker = 0;             // on which it started; attached threads count on after the workers
  std::uint32_t last_worker = 0;        // on which it ended
  std::uint64_t bytes = 0;              // written, of data operations; of an instance, its storage
  std::uint32_t hops = 0;               // from memory to memory: 1 for a direct copy, more by way of others
  std::uint32_t parts = 0;              // that a data operation was cut into, to run side by side
  outcome result = outcome::succeeded;  // how it ended
  std::exception_ptr why;               // the exception that wait() would have thrown; null if it succeeded

  /// The time from the call until all preconditions had ended.
  clock::duration waited() const noexcept { return ready - created; }
  /// The time from then until the operation started.
  clock::duration queued() const noexcept { return started - ready; }
  /// The time on a worker. It includes other tasks that the worker ran on the stack of this one while it waited.
  clock::duration running() const noexcept { return ended - started - suspended; }
};

}  // namespace stretto

STRETTO_API_END
