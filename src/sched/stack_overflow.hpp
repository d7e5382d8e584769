// stack_overflow.hpp - names the task that runs out of stack in an error message before the signal ends the process.
//
// The handler of SIGSEGV and SIGBUS runs on a signal stack of the worker's thread. A fault in the guard below the
// worker's current stack is an overflow, and the handler reports it. It then passes every fault, reported or not, to
// the previous handler, so that core dumps, debuggers and crash reporters work as without Stretto.
//
// Threads     overflow_watch: any, any number at a time. watch_thread, unwatch_thread: the thread that they concern.
// Invariants  (1) the handler allocates nothing, locks nothing and reads only data of the faulting thread. (2) the end
//             of the last watch restores the process's former handlers, unless the program has installed its own on
//             top: then ours stay below and only pass faults on. (3) sanitized builds install nothing, since the
//             sanitizer's own report says more.
#pragma once

namespace stretto::sched {

/// While any lives, overflows on watched threads are reported. One for each scheduler.
class overflow_watch {
 public:
  overflow_watch();
  overflow_watch(const overflow_watch&) = delete;
  ~overflow_watch();
};

/// The format of the message: text for people, or JSON.
enum class report_format : bool { text, json };

/// The calling thread has become a worker: the handler examines its faults, on a signal stack that is made if needed.
void watch_thread(report_format how) noexcept;
/// The calling thread is no longer a worker: removes the signal stack that watch_thread made.
void unwatch_thread() noexcept;

}  // namespace stretto::sched
