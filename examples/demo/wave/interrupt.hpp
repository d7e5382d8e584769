// interrupt.hpp - turns Ctrl-C into a request to stop, while this object lives.
//
// Threads     one object at a time in a process, for a signal has one handler; wished() from any thread.
// Invariants  the first Ctrl-C is remembered, the second ends the process as it would without this.
#pragma once

#include <atomic>

namespace stretto::wave {

class interrupt {
 public:
  interrupt();
  interrupt(const interrupt&) = delete;
  /// Puts back what was there before.
  ~interrupt();

  const std::atomic<bool>& wished() const;
};

/// The exit code of a process that ended on Ctrl-C, as in shells: 128 + SIGINT.
inline constexpr int interrupted_exit_code = 130;

}  // namespace stretto::wave
