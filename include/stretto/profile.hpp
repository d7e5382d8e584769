// profile.hpp - when one operation was created, became ready, ran and ended, where, and what it moved: profile(into).
//
// Threads     as of any future: the profile is a value, delivered once, whatever became of the operation.
// Cost        for who asks: a heap allocation, a promise, and four readings of std::chrono::steady_clock. For who does
//             not: nothing.
// Invariants  created <= ready <= started <= ended. A skipped operation has ready == started == ended.
// Source      per-operation profiling requests: Realm. Ours answers with one value, through a future.
#pragma once

#include <stretto/future.hpp>
#include <stretto/task.hpp>

#include <chrono>

STRETTO_API_BEGIN

namespace stretto {

/// How an operation ended.
enum class outcome : std::uint8_t {
  succeeded,
  failed,   // by itself
  skipped,  // because something that it waited for had failed
};

/// What the tag profile(into) asks for.
///
///     future<operation_profile> p;
///     event copied = copy(u, v, {after(computed), profile(p)});
///     async(after(p), [p] { log(p.get().bytes, p.get().running()); });
struct operation_profile {
  using clock = std::chrono::steady_clock;

  std::string operation;       // `task "halo"`, `copy of instance "u" to instance "v"`
  std::source_location where;  // the call
  clock::time_point created;   // the call
  clock::time_point ready;     // all that it waited for had ended
  clock::time_point started;   // its first instruction, or its first byte
  clock::time_point ended;
  clock::duration suspended{};    // of a task, between started and ended: off every worker
  std::uint32_t suspensions = 0;  // of a task
  std::uint32_t worker = 0;       // on which it started; attached threads count on after the workers
  std::uint32_t last_worker = 0;  // on which it ended
  std::uint64_t bytes = 0;        // written, of data operations; of an instance, its storage
  std::uint32_t hops = 0;         // from memory to memory: 1 for a direct copy, more by way of others
  std::uint32_t parts = 0;        // that a data operation was cut into, to run side by side
  outcome result = outcome::succeeded;
  std::exception_ptr why;  // what wait() would have thrown; null if it succeeded

  /// From the call until all preconditions had ended.
  clock::duration waited() const noexcept { return ready - created; }
  /// From when it was ready until it started.
  clock::duration queued() const noexcept { return started - ready; }
  /// On a worker. What a task's worker ran on top of it, while it waited, is included.
  clock::duration running() const noexcept { return ended - started - suspended; }
};

}  // namespace stretto

STRETTO_API_END
