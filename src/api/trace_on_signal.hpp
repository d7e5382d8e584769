// trace_on_signal.hpp - SIGUSR2 writes the trace of the last seconds of a running runtime.
//
// Threads     made and destroyed by the thread that makes the runtime; the files are written on the thread of
//             base/signal_watch.
// Invariants  an existing file is not overwritten.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/signal_watch.hpp"

namespace stretto {

/// The name of the `count`th trace of runtime `node`: in the folder of `final_trace`, the trace of the whole run, or in
/// the working folder if that is empty.
///
///     signal_trace_name("out/run.json", 4711, 0, 2)   ->  "out/stretto-4711-0-2.json"
std::filesystem::path signal_trace_name(const std::filesystem::path& final_trace, pid_t process, std::uint16_t node,
                                        unsigned count);

class trace_on_signal {
 public:
  /// Until it is destroyed, SIGUSR2 calls `save` with a new name, and reports that on standard error.
  ///   save   null: nothing is recorded, which is reported instead
  trace_on_signal(std::uint16_t node, std::filesystem::path final_trace,
                  std::function<void(const std::filesystem::path&)> save);

 private:
  void write();

  const std::uint16_t node_;
  const std::filesystem::path final_trace_;
  const std::function<void(const std::filesystem::path&)> save_;
  unsigned count_ = 0;
  const base::signal_watch watch_;  // last member: it may call write() at once
};

}  // namespace stretto
