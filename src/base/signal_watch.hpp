// signal_watch.hpp - callbacks for signals and timers, on an ordinary thread.
//
// The handler marks its signal and wakes one thread of the process, which sleeps in a futex and blocks every signal
// itself; that thread runs the callbacks. The handler installed before still runs, after ours. A runtime's
// service thread would not do: a poller of a module may hang in it.
//
// Threads     any, any number at a time; but not from inside a callback.
// Cost        the first watch starts the thread, the last one ends it. The thread sleeps until a signal or a timer.
// Invariants  (1) once a watch is destroyed, its callback does not run; no two callbacks run at once. (2) the last
//             watch of a signal restores the previous handler, unless the program has installed another one since:
//             then ours stays and only forwards. (3) the handler allocates nothing and locks nothing. (4) signals that
//             arrive while a callback runs make it run once more, however many they are. (5) a signal that arrives
//             while no watch of it exists is not reported to a later one.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

namespace stretto::base {

class signal_watch {
 public:
  /// While it lives, `callback` runs whenever the process gets that signal; an exception is printed to standard error.
  /// If the system cannot start a thread, the signal keeps its previous handler.
  ///   number   1 to 63, such as SIGUSR1
  signal_watch(int number, std::function<void()> callback);
  signal_watch(const signal_watch&) = delete;
  ~signal_watch();

 private:
  friend struct signal_registry;
  const int number_;
  const std::function<void()> callback_;
  signal_watch* next_ = nullptr;
};

class timed_watch {
 public:
  static constexpr std::int64_t never = -1;

  /// While it lives, `callback` runs soon, and then again after the nanoseconds that it returned; `never`: not before
  /// call(). It must not throw. If the system cannot start a thread, it does not run.
  explicit timed_watch(std::function<std::int64_t()> callback);
  timed_watch(const timed_watch&) = delete;
  ~timed_watch();

  /// The callback runs soon, whatever it has returned. May be called from a callback; does not wait.
  void call() noexcept;

 private:
  friend struct signal_registry;
  const std::function<std::int64_t()> callback_;
  std::atomic<bool> is_called_{false};
  std::int64_t due_ = 0;  // on the clock of base/clock.hpp; never
  timed_watch* next_ = nullptr;
};

/// Keeps the handlers of SIGUSR1 and SIGUSR2 while a driver's library is loaded: the destructor restores them, whatever
/// that library has installed. LLVM, which drivers load, handles SIGUSR2, and ends the program if a later handler
/// forwards it.
///
/// One at a time in a process: others wait, and so do watches that are made or destroyed meanwhile.
class preserved_signal_handlers {
 public:
  preserved_signal_handlers();
  preserved_signal_handlers(const preserved_signal_handlers&) = delete;
  ~preserved_signal_handlers();

 private:
  static constexpr std::array kept{SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kept.size()> before_;
};

}  // namespace stretto::base
