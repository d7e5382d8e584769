// engine.hpp - moves the pieces of transfers: by io_uring, or on I/O threads.
//
// Threads     begin, will_call: any thread. poll: one thread at a time.
// Invariants  each transfer that was begun is handed out by poll once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transfer.hpp"

namespace stretto {

class engine {
 public:
  virtual ~engine() = default;

  virtual void begin(std::unique_ptr<transfer> t) = 0;
  /// Appends the transfers that have ended.
  virtual void poll(std::vector<std::unique_ptr<transfer>>& ended) = 0;
  /// Whether a poll may find something at any time. Otherwise only after the engine has asked for one.
  virtual bool must_be_polled() const noexcept = 0;
  /// As poller::will_call.
  virtual bool will_call() noexcept { return false; }
};

/// The engine of io_uring; `on_end` asks for a poll. Null: `why_not` says why the system or the build has none.
std::unique_ptr<engine> make_ring(std::function<void()> on_end, std::string& why_not);

}  // namespace stretto
