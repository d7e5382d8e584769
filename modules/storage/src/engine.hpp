// engine.hpp - moves the pieces of transfers: by io_uring, or on I/O threads.
//
// Threads     begin: any thread of the runtime. poll: one thread at a time.
// Invariants  each transfer that was begun is handed out by poll once.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "transfer.hpp"

namespace stretto {

class engine {
 public:
  virtual ~engine() = default;

  virtual void begin(std::unique_ptr<transfer> t) = 0;
  /// Appends the transfers that have ended.
  virtual void poll(std::vector<std::unique_ptr<transfer>>& ended) = 0;
  /// Whether only poll finds what has ended. Otherwise the engine asks for a poll.
  virtual bool must_be_polled() const noexcept = 0;
};

/// The engine of io_uring. Null: `why_not` says why the system or the build has none.
std::unique_ptr<engine> make_ring(std::string& why_not);

}  // namespace stretto
