// driver_guard.hpp - while a driver is asked which devices it has, and for them.
//
// Not every driver can be asked by two threads at once (PoCL ends the program, or has no device), and runtimes may start side by side: the
// process asks one at a time. Threads that it starts are known as its own; what signals mean stays as it was.
//
// Threads     one that calls a driver keeps the object on its stack, and waits for no other runtime meanwhile.
#pragma once

#include <string_view>

#include "base/driver_threads.hpp"
#include "base/signal_watch.hpp"

namespace stretto::device {

class driver_guard {
 public:
  /// `prefix`: how its threads are called, where they name themselves (backend::thread_prefix).
  explicit driver_guard(std::string_view prefix) : threads_(prefix) {}

 private:
  const base::signals_kept signals_;
  const base::driver_threads threads_;
};

}  // namespace stretto::device
