// live_runtimes.hpp - the runtimes of this process that `stretto top` may look at.
//
// With STRETTO_LIVE=1 the process has its socket from the start. Else it opens it when it first gets SIGURG, which
// `stretto top PID` sends: a signal that ends no process, since the system ignores it where nobody handles it.
//
// Threads     any.
// Cost        until someone asks none but a handler on the thread of base/signal_watch; then one socket and one
//             sleeping thread for all runtimes of the process. A look costs what statistics() costs.
// Invariants  once a live_runtime is destroyed nobody looks at its runtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/signal_watch.hpp"

namespace stretto {

class live_runtime {
 public:
  enum class opens : std::uint8_t { at_once, when_asked };

  /// Until it is destroyed, the runtime is among those that the process tells about.
  ///   statistics   its statistics as a JSON object
  ///   throws       B30 if the process can have no socket, where it is to open at once
  live_runtime(std::uint16_t node, opens when, std::function<std::string()> statistics);
  live_runtime(const live_runtime&) = delete;
  ~live_runtime();

 private:
  friend struct live_list;
  const std::uint16_t node_;
  const std::function<std::string()> statistics_;
  const std::chrono::steady_clock::time_point since_;
  live_runtime* next_ = nullptr;
  std::optional<base::signal_watch> asked_;
};

/// The reply of the socket: one JSON object about the process, its long works and its live runtimes.
std::string live_text();

}  // namespace stretto
