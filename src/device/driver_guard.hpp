// driver_guard.hpp - serialises calls to drivers that list or open devices.
//
// Not every driver allows two threads to ask at once: PoCL ends the program, or reports no device. Runtimes may start
// concurrently, so the process lets one thread ask at a time. Threads that the driver starts meanwhile are recorded
// as the driver's, and signal handlers are restored afterwards.
//
// Threads     a thread keeps the object on its stack while it calls a driver, and must not wait for another runtime
//             meanwhile.
#pragma once

#include <string_view>

#include "base/driver_threads.hpp"
#include "base/signal_watch.hpp"

namespace stretto::device {

class driver_guard {
 public:
  /// `prefix`: the prefix of the names of the driver's threads, if they have names (backend::thread_prefix).
  explicit driver_guard(std::string_view prefix) : threads_(prefix) {}

 private:
  const base::preserved_signal_handlers signals_;
  const base::driver_threads threads_;
};

}  // namespace stretto::device
