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

class completion_notifier {
 public:
  explicit completion_notifier(std::function<void()> callback) : callback_(std::move(callback)) {}
  completion_notifier(const completion_notifier&) = delete;

  void notify() noexcept {
    const std::scoped_lock lock(mutex_);
    // First: who relies on it after the call does so anew.
    armed_.store(false, std::memory_order_seq_cst);
    if (callback_) callback_();
  }
  void disconnect() noexcept {
    const std::scoped_lock lock(mutex_);
    callback_ = nullptr;
  }

  /// From now on nobody looks: what begins has to ring it when it ends.
  void arm() noexcept { armed_.store(true, std::memory_order_seq_cst); }
  bool is_armed() const noexcept { return armed_.load(std::memory_order_seq_cst); }

 private:
  std::mutex mutex_;
  std::function<void()> callback_;  // must not throw
  std::atomic<bool> armed_{false};
};

}  // namespace stretto::device
