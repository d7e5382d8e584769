// completion_notifier.hpp - lets a driver's thread report that operations may have completed, so that no thread has
// to poll.
//
// Threads     any thread, also the driver's. After disconnect() returned, no thread is inside the callback.
// Memory      shared ownership: a driver may notify long after the completion was found by polling.
// Invariants  (1) notify() disarms the notifier. (2) after disconnect() the callback is never called.
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
    // Disarm before the call: the callback may arm the notifier again.
    armed_.store(false, std::memory_order_seq_cst);
    if (callback_) callback_();
  }
  void disconnect() noexcept {
    const std::scoped_lock lock(mutex_);
    callback_ = nullptr;
  }

  /// No thread polls from now on: each operation that starts must notify when it completes.
  void arm() noexcept { armed_.store(true, std::memory_order_seq_cst); }
  bool is_armed() const noexcept { return armed_.load(std::memory_order_seq_cst); }

 private:
  std::mutex mutex_;
  std::function<void()> callback_;  // must not throw
  std::atomic<bool> armed_{false};
};

}  // namespace stretto::device
