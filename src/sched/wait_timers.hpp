// wait_timers.hpp - timers of timed waits: each triggers an event at its time, unless the event has triggered before.
//
// Threads     any thread of the runtime. use_clock: the thread that makes or ends the runtime, alone.
// Cost        set, cancel: a lock and O(log n). Nothing while no timer is set.
// Invariants  a timer is a pending operation (poller.hpp) from set() until its time or cancel().
#pragma once

#include <stretto/event.hpp>
#include <stretto/poller.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace stretto {
class manual_clock;
}

namespace stretto::sched {

/// An event with two possible triggers, the operation and the timer: the first call of end() triggers it.
class one_shot_event {
 public:
  explicit one_shot_event(const user_event& over) noexcept : over_(over) {}
  const user_event& over() const noexcept { return over_; }
  void end() {
    if (!has_ended_.exchange(true, std::memory_order_acq_rel)) over_.trigger();
  }

 private:
  user_event over_;
  std::atomic<bool> has_ended_{false};
};

class wait_timers final : public poller {
 public:
  using time = std::chrono::steady_clock::time_point;
  struct timer {
    time at;
    std::uint64_t number;
    friend auto operator<=>(const timer&, const timer&) = default;
  };

  ~wait_timers() override;
  /// The clock that the times refer to; null: the steady clock.
  void use_clock(std::shared_ptr<manual_clock> clock);
  time now() const noexcept;

  timer set(time at, std::shared_ptr<one_shot_event> what);
  void cancel(const timer& a) noexcept;

 private:
  std::size_t poll() override;
  void fail(std::exception_ptr why) noexcept override;
  bool will_call() noexcept override;
  bool is_due() const noexcept;  // with the lock held
  void arrange_next_poll() noexcept;

  std::shared_ptr<manual_clock> clock_;
  std::mutex lock_;  // guards what follows
  std::map<timer, std::shared_ptr<one_shot_event>> set_;
  std::uint64_t next_ = 0;
};

}  // namespace stretto::sched
