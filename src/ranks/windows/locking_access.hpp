// locking_access.hpp - an access of a rank of another node that takes the lock first, and waits for it if it must.
//
// Threads     begin: the server. The thread that releases the lock may perform it.
//             waiting: the monitor, while no rank runs.
// Cost        a copy of the message, of at most short_access_bytes.
// Invariants  (1) it frees itself, and touches nothing of the window once its last reply is sent.
#pragma once

#include <cstddef>
#include <vector>

#include "event/waiter.hpp"
#include "ranks/windows/arrived_access.hpp"

namespace stretto::ranks {

class locking_access final : waiter {
 public:
  /// `head`: the message, of which the access has the parts. `error` is that of the sender.
  locking_access(const arrived_access& made, std::vector<std::byte> head, error_class& error);
  locking_access(const locking_access&) = delete;
  locking_access& operator=(const locking_access&) = delete;

  /// Performs the access as soon as its sender has the lock.
  static void begin(std::unique_ptr<locking_access> one, const window_channel& channel, local_target& own);

  /// For reports of hangs: the requests for locks of windows of this process, of all such accesses that wait.
  static std::vector<const lock_request*> waiting();

 private:
  void perform();

  const std::vector<std::byte> head_;
  const arrived_access access_;
  error_class& error_;
  lock_request request_;
  // set by begin()
  const window_channel* channel_ = nullptr;
  local_target* own_ = nullptr;
  bool waits_ = false;
};

}  // namespace stretto::ranks
