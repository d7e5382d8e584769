// live_runtimes.hpp - the runtimes of this process that `stretto top` may look at (STRETTO_LIVE=1).
//
// Threads     any.
// Cost        one socket and one sleeping thread for all runtimes of the process; a look costs what statistics() costs.
// Invariants  once a live_runtime is destroyed nobody looks at its runtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace stretto {

class live_runtime {
 public:
  /// Until it is destroyed, the runtime is among those that the process tells about.
  ///   statistics   its statistics as a JSON object
  ///   throws       B30 if the process can have no socket
  live_runtime(std::uint16_t node, std::function<std::string()> statistics);
  live_runtime(const live_runtime&) = delete;
  ~live_runtime();

 private:
  friend struct live_list;
  const std::uint16_t node_;
  const std::function<std::string()> statistics_;
  const std::chrono::steady_clock::time_point since_;
  live_runtime* next_ = nullptr;
};

/// What the socket tells: one JSON object about the process, its long works and its live runtimes.
std::string live_text();

}  // namespace stretto
