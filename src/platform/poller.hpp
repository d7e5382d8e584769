// poller.hpp - whoever has operations under way that finish without telling: messages, device queues, disk requests.
//
// Threads     pending: any thread, any time. poll: one thread at a time, any of them.
// Cost        pending: one relaxed load; it is asked in the idle loop of every worker.
// Source      HiPER's pollers, which are asked always; here only while something is pending, so idle costs nothing.
#pragma once

#include <cstddef>

namespace stretto::places {

class poller {
 public:
  virtual ~poller() = default;

  /// Operations that only a poll can complete.
  virtual std::size_t pending() const noexcept = 0;

  /// Completes what has finished, without waiting; returns how many operations that was.
  virtual std::size_t poll() = 0;
};

}  // namespace stretto::places
