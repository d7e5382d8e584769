// poll_coordinator.hpp - distributes the polls of a runtime's pollers among idle workers, the service thread, and the
// thread that steps a stepped runtime.
//
// Threads     as each member says; made before the scheduler and outlives it.
// Cost        a worker that searches for work: one load. A busy worker: nothing.
// Invariants  (1) while an operation is pending and due, at least one of these holds: an idle worker polls; the service
//             thread polls every `longest_pause`, or within five of them after a worker has polled; the completing
//             thread has promised a callback. The last worker that stops searching wakes the service thread, and so
//             does a thread that starts an operation while no worker searches. (2) a poll of the service thread counts
//             as `outside` work, so no event is taken for untriggered meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/poll_station.hpp"
#include "sched/poll_threads.hpp"
#include "sched/service_thread.hpp"
#include "sched/wait_timers.hpp"

namespace stretto::sched {

struct worker;

class poll_coordinator final : public detail::poll_station, private service_thread::client {
 public:
  poll_coordinator() : service_(*this) { add(timers_); }

  /// Before begin: gives these sources threads of their own. Their poller is then never due by itself.
  void dedicate(poll_threads::sources d) { dedicated_.set(std::move(d)); }
  /// begin() starts the polling threads; end() ends them, and workers may still poll. Once the workers are gone,
  /// release(). Called by the thread that makes the runtime.
  void begin(scheduler& owner);
  void end() noexcept;

  /// The timers of waits with a deadline.
  wait_timers& timers() noexcept { return timers_; }

  bool has_thread() const noexcept { return service_.has_thread(); }

  /// Called by a worker between two tasks; may leave it in the scope of the runtime. Returns how many operations ended.
  std::size_t poll_idle(worker& w) noexcept;
  /// The longest time, in nanoseconds, since begin_waiting() in which neither workers nor the service thread found
  /// anything, up to end_waiting(). One worker at a time measures.
  void begin_waiting() noexcept;
  std::uint64_t longest_wait() const noexcept;
  void end_waiting() noexcept { measuring_.fetch_sub(1, std::memory_order_relaxed); }
  /// Operations are pending, and all of them will call back when they end: no thread has to poll.
  bool all_complete_by_callback() noexcept { return any_pending() && all_will_call(); }
  /// Called by the last worker that stops searching for work. `is_asleep`: some worker sleeps. If all have found work,
  /// microseconds do not matter, and the service thread is not woken from a pause.
  void hand_over(bool is_asleep = true) noexcept {
    if (any_pending()) [[unlikely]]
      call_service_thread(is_asleep);
  }

 private:
  void call_service_thread(bool is_asleep) noexcept;
  void note_found() noexcept {
    if (measuring_.load(std::memory_order_relaxed)) note_time_of_find();
  }
  void note_time_of_find() noexcept;
  finding poll_once(thread_state& t) noexcept override;
  std::int64_t next_due() const noexcept override { return earliest_due(); }
  void sooner(std::int64_t due, urgency how) noexcept override;
  void none_pending() noexcept override;

  wait_timers timers_;
  service_thread service_;
  poll_threads dedicated_;
  std::atomic<scheduler*> owner_{nullptr};
  std::atomic<std::uint64_t> polls_of_workers_{0};
  std::uint64_t seen_ = 0;                   // the count at the service thread's last poll
  std::atomic<int> measuring_{0};            // workers between begin_waiting() and end_waiting()
  std::atomic<std::int64_t> found_last_{0};  // time of the last find, or of begin_waiting()
  std::atomic<std::int64_t> longest_{0};     // longest time between two finds
};

}  // namespace stretto::sched
