// poller.hpp - pollers: a module's completion tests for operations that end without a notification, such as messages,
// device queues and timers.
//
//     struct request { user_event done; };
//     request* next_completed_request();  // of some library; null if none has completed
//
//     class library_poller : public poller {
//      public:
//       std::size_t poll() override {
//         std::size_t n = 0;
//         for (; request* r = next_completed_request(); ++n) r->done.trigger();
//         remove_pending(n);
//         return n;
//       }
//       void fail(std::exception_ptr) noexcept override {}  // poisons the events of all pending requests
//     };
//
// Idle workers poll. While all workers are busy or asleep, one service thread polls at a bounded rate.
// The runtime never calls a poller without pending operations.
//
// Threads     the public members: any thread, also one of no runtime. poll and fail run on one thread at a time, a
//             worker of the runtime or its service thread; they may trigger events and spawn tasks.
// Cost        add_pending and remove_pending: one atomic addition. The first and the last pending operation cost one
//             more, and at most one system call to wake the service thread. An idle worker without pending operations:
//             one load.
// Invariants  (1) an operation is pending from before it starts until its event has ended. (2) while an operation is
//             pending, the end of the runtime does not treat waiting tasks as abandoned.
// Source      HiPER's pollers, which run always. Ours run only while operations are pending.
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
class poll_station;
}

/// The base class of pollers. A poller belongs to one runtime, from module_host::add_poller until that runtime has
/// ended.
class poller {
 public:
  poller() = default;
  poller(const poller&) = delete;
  virtual ~poller();

  /// Counts operations that are about to start. Call it before they can end.
  void add_pending(std::size_t n = 1) noexcept;
  /// Counts operations that have ended. Call it after their events have ended.
  void remove_pending(std::size_t n = 1) noexcept;
  /// The number of pending operations.
  std::size_t pending() const noexcept { return pending_.load(std::memory_order_acquire); }

  /// Sets the time before which no operation can end; time_point::max() means until poll_now(). Initially at any time.
  void next_poll(std::chrono::steady_clock::time_point t) noexcept;
  /// Asks for a poll as soon as a worker is idle or the service thread has woken.
  void poll_now() noexcept;

  /// Ends polling: when it returns, no thread is inside poll, and none enters it again. For the module's finalise,
  /// which may then end or poison the pending operations and must call remove_pending. Not from within poll.
  void stop_polling() noexcept;

 protected:
  /// Tests the pending operations without waiting, triggers the events of those that have ended, then calls
  /// remove_pending. Returns the number of ended operations. If it throws, the runtime calls fail() and stops polling.
  virtual std::size_t poll() = 0;

  /// Called before the runtime stops polling while idle. True: the poller calls poll_now() once an operation may have
  /// ended, also one that starts later. False: it cannot, or an operation may have ended already; the runtime then
  /// polls at intervals. Called on any thread, also while another is inside poll.
  virtual bool will_call() noexcept { return false; }

  /// True if all pending operations may never end, such as receives without a sender. The end of a job does not wait
  /// for them once no task waits; finalise ends them. Called on any thread, also while another is inside poll.
  virtual bool may_never_end() const noexcept { return false; }

  /// Called after poll() has thrown; `why` is error M05 with the cause. The poller must poison its pending operations
  /// and refuse later ones. It is not polled any more, and its pending operations no longer count.
  virtual void fail(std::exception_ptr why) noexcept = 0;

 private:
  friend class detail::poll_station;

  std::atomic<std::size_t> pending_{0};
  std::atomic<std::int64_t> due_{0};  // steady nanoseconds; 0: any time
  std::atomic<bool> busy_{false};     // a thread is inside poll
  std::atomic<bool> silent_{false};   // it has failed or stopped polling
  std::atomic<detail::poll_station*> station_{nullptr};
  poller* next_ = nullptr;  // of the same runtime
};

}  // namespace stretto

STRETTO_API_END
