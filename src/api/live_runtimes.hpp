// live_runtimes.hpp - the runtimes of this process that `stretto top` can query.
//
// With STRETTO_LIVE=1 the process opens its socket at the start. Otherwise it opens the socket at the first SIGURG,
// which `stretto top PID` sends. SIGURG is ignored by default, so it ends no process.
//
// Threads     any.
// Cost        until the first query a signal handler; then one socket and one sleeping thread for all runtimes of the
//             process. A query costs as much as statistics().
// Invariants  once a live_runtime is destroyed, no query reads its runtime.
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

  /// Until it is destroyed, the replies of the process include the runtime.
  ///   statistics   its statistics as a JSON object
  ///   throws       B30 if the process cannot open its socket, with `at_once`
  live_runtime(std::uint16_t node, opens when, std::function<std::string()> statistics);
  live_runtime(const live_runtime&) = delete;
  ~live_runtime();

 private:
  friend struct live_list;
  const std::uint16_t node_;
  const std::function<std::string()> statistics_;
  const std::chrono::steady_clock::time_point since_;
  live_runtime* next_ = nullptr;
  std::optional<base::signal_watch> query_signal_;
};

/// The reply of the socket: one JSON object about the process, its progress lines and its live runtimes.
std::string live_text();

}  // namespace stretto
