// stream_registry.hpp - the streams of a device whose driver must be polled, and the number of pending operations.
//
// Threads     any. Streams are polled under a lock. Completions run without it: they may create and destroy streams.
// Cost        a lock per created or destroyed stream and per poll; an addition per operation. A stream that can tell
//             cheaply that nothing has completed is fully polled only once in many polls, to find failures that the
//             cheap check does not show.
// Invariants  an operation is pending until its completion has run.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/completion_notifier.hpp"
#include "platform/work_item.hpp"

namespace stretto::device {

class polled_stream {
 public:
  /// Adds the completions of operations that have completed, oldest first, with their failures. The caller runs them.
  virtual void collect(std::vector<places::completion*>& ended) = 0;
  /// A check as cheap as a load: false if nothing has completed, except that a failing device may not show it.
  virtual bool may_have_ended() const noexcept { return true; }
  /// True if the stream is empty, or if its oldest operation will notify the registry's notifier. False: it may have
  /// completed already, or it cannot notify.
  virtual bool will_notify() noexcept { return false; }

 protected:
  ~polled_stream() = default;
};

class stream_registry {
 public:
  void add(polled_stream& s);
  /// Removes a destroyed stream; its remaining operations have completed, and their completions run.
  void remove(polled_stream& s) noexcept;

  void add_pending() noexcept { pending_.fetch_add(1, std::memory_order_acq_rel); }
  std::size_t pending() const noexcept { return pending_.load(std::memory_order_acquire); }
  /// See device::poll.
  std::size_t poll();
  /// See device::will_notify.
  bool will_notify(const std::shared_ptr<completion_notifier>& b) noexcept;
  /// The notifier that operations that start now must call on completion; null while it is not armed.
  const std::shared_ptr<completion_notifier>* armed_notifier() const noexcept;

 private:
  std::size_t run(const std::vector<places::completion*>& ended) noexcept;

  std::shared_ptr<completion_notifier> notifier_;  // written once, before has_notifier_
  std::atomic<bool> has_notifier_{false};
  std::mutex mutex_;
  std::vector<polled_stream*> streams_;    // guarded by mutex_
  std::vector<places::completion*> kept_;  // scratch of the polling thread
  unsigned polls_ = 0;                     // guarded by mutex_
  std::atomic<std::size_t> pending_{0};
};

}  // namespace stretto::device
