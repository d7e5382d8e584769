// completion_notifier.hpp - what a driver's thread rings when something may have ended, so that nobody has to look again and again.
//
// Threads     any, of the driver too. take_down returns once nobody is inside ring.
// Memory      shared: a driver may ring long after what it tells of was seen to end.
// Invariants  (1) after it was rung it is not awaited, until somebody relies on it again. (2) once it is down nobody is called.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace stretto::device {

class bell {
 public:
  explicit bell(std::function<void()> called) : called_(std::move(called)) {}
  bell(const bell&) = delete;

  void ring() noexcept {
    const std::scoped_lock lock(mutex_);
    // First: who relies on it after the call does so anew.
    awaited_.store(false, std::memory_order_seq_cst);
    if (called_) called_();
  }
  void take_down() noexcept {
    const std::scoped_lock lock(mutex_);
    called_ = nullptr;
  }

  /// From now on nobody looks: what begins has to ring it when it ends.
  void await() noexcept { awaited_.store(true, std::memory_order_seq_cst); }
  bool is_awaited() const noexcept { return awaited_.load(std::memory_order_seq_cst); }

 private:
  std::mutex mutex_;
  std::function<void()> called_;  // must not throw
  std::atomic<bool> awaited_{false};
};

}  // namespace stretto::device
