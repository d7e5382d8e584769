// stream_registry.hpp - the streams of a device whose driver has to be asked, and what is pending in them.
//
// Threads     any. Streams are asked under a lock, completions run outside of it: they may make and end streams.
// Cost        a lock per stream that begins or ends, and per poll; an addition per operation. A stream that can tell at a glance that
//             nothing has ended is asked in one poll of many only, for what a glance does not show.
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
  /// Adds the completions of what has ended, oldest first, with their failures; whoever takes them runs them.
  virtual void collect(std::vector<places::completion*>& ended) = 0;
  /// At a glance: false where nothing has ended, but for what a device that fails does not say. As cheap as a load.
  virtual bool may_have_ended() const noexcept { return true; }
  /// Whether nothing is in it, or its oldest operation will ring the bell of the registry. False: it may have ended already.
  virtual bool will_notify() noexcept { return false; }

 protected:
  ~polled_stream() = default;
};

class stream_registry {
 public:
  void add(polled_stream& s);
  /// The stream has ended: what is left in it has, too, and is told.
  void remove(polled_stream& s) noexcept;

  void add_pending() noexcept { pending_.fetch_add(1, std::memory_order_acq_rel); }
  std::size_t pending() const noexcept { return pending_.load(std::memory_order_acquire); }
  /// As device::poll.
  std::size_t poll();
  /// As that of the device.
  bool will_notify(const std::shared_ptr<completion_notifier>& b) noexcept;
  /// Null where nobody relies on it: what begins has to ring it when it ends.
  const std::shared_ptr<completion_notifier>* armed_notifier() const noexcept;

 private:
  std::size_t run(const std::vector<places::completion*>& ended) noexcept;

  std::shared_ptr<completion_notifier> notifier_;  // written once, before has_bell_
  std::atomic<bool> has_notifier_{false};
  std::mutex mutex_;
  std::vector<polled_stream*> streams_;  // under the lock
  std::vector<places::completion*> kept_;  // of one poll; only its thread's
  unsigned polls_ = 0;                     // under the lock
  std::atomic<std::size_t> pending_{0};
};

}  // namespace stretto::device
