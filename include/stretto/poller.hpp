// poller.hpp - interface of everything whose operations end without a notification: messages, device queues, timers,
// disks.
//
// Idle workers poll; while all of them work or sleep, one service thread does, at a bounded rate. A
// poller with nothing pending is never asked and costs nothing.
//
// Threads     the public members: any thread, also one of no runtime. poll and fail: one thread at a time, a worker of
//             the runtime or its service thread; both belong to the runtime and may trigger events and spawn tasks.
// Cost        add_pending and remove_pending: one atomic addition; the first and the last of several one more, and at
//             most one system call to wake the service thread. An idle worker with nothing pending anywhere: one load.
// Invariants  (1) an operation is pending from before it starts until its event has ended. (2) while anything is
//             pending the end of the runtime does not treat waiting tasks as abandoned.
// Source      HiPER's pollers, which are asked always; here only while something is pending, so idle costs nothing.
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

/// To be derived from. It belongs to one runtime, from `module_host::add_poller` until that runtime has ended.
///
///     class my_poller : public stretto::poller {
///       std::size_t poll() override {                 // asked only while something is pending
///         std::size_t n = 0;
///         while (auto done = library_test_any()) done->event.trigger(), ++n;
///         remove_pending(n);
///         return n;
///       }
///       void fail(std::exception_ptr why) noexcept override {}  // poisons what is pending
///     };
class poller {
 public:
  poller() = default;
  poller(const poller&) = delete;
  virtual ~poller();

  /// Operations are about to start: call it before they can end.
  void add_pending(std::size_t n = 1) noexcept;
  /// They have ended, their events included.
  void remove_pending(std::size_t n = 1) noexcept;
  std::size_t pending() const noexcept { return pending_.load(std::memory_order_acquire); }

  /// There is nothing to find before `t`; time_point::max(): until poll_now() is called. At first: at any time.
  void next_poll(std::chrono::steady_clock::time_point t) noexcept;
  /// There is something to find: polled as soon as a worker is idle or the service thread has woken.
  void poll_now() noexcept;

  /// Nobody is inside poll when this returns, and nobody enters it again: for the module's finalise, which may end or
  /// poison then what is left. What is pending remains so until remove_pending. Not from within poll.
  void stop_polling() noexcept;

 protected:
  /// Ends what has finished, without waiting; returns how many operations that was. Events first, then
  /// remove_pending.
  virtual std::size_t poll() = 0;

  /// Nobody will ask from now on. True: it calls poll_now() when it may have something to find, also of what begins
  /// from here on, until it has called. False: it cannot, or has something already; then it is asked again after
  /// pauses. Any thread, also while another is inside poll.
  virtual bool will_call() noexcept { return false; }

  /// All that is pending may never end, as receives that nobody answers. The nodes of a job, which end together, do not
  /// wait for it where no task waits for anything any more; finalise ends what is left. Any thread, also while another
  /// is inside poll.
  virtual bool may_never_end() const noexcept { return false; }

  /// poll() threw: `why` is an error M05 that says what. Poisons everything pending and refuses what comes later; the
  /// poller is not polled any more, and what it leaves pending counts no longer.
  virtual void fail(std::exception_ptr why) noexcept = 0;

 private:
  friend class detail::poll_station;

  std::atomic<std::size_t> pending_{0};
  std::atomic<std::int64_t> due_{0};  // steady nanoseconds; 0: any time
  std::atomic<bool> busy_{false};     // someone is inside poll
  std::atomic<bool> silent_{false};   // it has failed, or asked not to be polled
  std::atomic<detail::poll_station*> station_{nullptr};
  poller* next_ = nullptr;  // of the same runtime
};

}  // namespace stretto

STRETTO_API_END
