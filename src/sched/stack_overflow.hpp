// overflow.hpp - a task that runs out of stack ends the process with a message that names it, not with a bare signal.
//
// The handler of SIGSEGV and SIGBUS runs on a signal stack of the worker's thread. A fault in the guard below the
// stack that the worker is on is an overflow, and told; every fault, told or not, then goes on to whoever handled
// the signal before, so that cores, debuggers and crash reporters see what they would have seen.
//
// Threads     overflow_watch: any, any number at a time. watch_thread, unwatch_thread: the thread that it concerns.
// Invariants  (1) the handler allocates nothing, locks nothing and reads only what the faulting thread owns. (2) with
//             the last watch the process's handlers are again those from before the first, unless someone has put
//             his own on top: then ours stay below his and only pass on. (3) sanitized builds install nothing: their
//             own report says more.
#pragma once

namespace stretto::sched {

/// While any lives, overflows on watched threads are told. One for each scheduler.
class overflow_watch {
 public:
  overflow_watch();
  overflow_watch(const overflow_watch&) = delete;
  ~overflow_watch();
};

/// How an overflow is told: as people read an error, or as JSON.
enum class report_format : bool { text, json };

/// The calling thread has become a worker: its faults are looked at, on a signal stack of its own unless it has one.
void watch_thread(report_format how) noexcept;
/// It is a worker no longer: the thread's signal stack is again what it was.
void unwatch_thread() noexcept;

}  // namespace stretto::sched
