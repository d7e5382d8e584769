// polling.hpp - who asks the pollers of a runtime: idle workers, the service thread, and one thread that steps.
//
// Threads     as each member says; made before the scheduler and outlives it.
// Cost        a worker that looks for work: one load. A busy worker: nothing.
// Invariants  (1) while something is pending and due, a worker is looking for work or the service thread looks at least once
//             in `longest_pause`, in five of them after a worker has looked, or who makes it end has promised to call: who stops
//             looking last hands over, who makes something pending calls where nobody looks. (2) a poll of the service thread counts
//             as outside: nothing is forsaken meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/poll_station.hpp"
#include "sched/wait_timers.hpp"
#include "sched/poll_threads.hpp"
#include "sched/service_thread.hpp"

namespace stretto::sched {

struct worker;

class poll_coordinator final : public detail::poll_station, private service_thread::client {
 public:
  explicit poll_coordinator(std::uint32_t longest_pause_us)
      : service_(*this, std::int64_t{longest_pause_us} * 1000) {
    add(timers_);
  }

  /// Before begin: these are asked by threads of their own. Their poller is not due by itself.
  void dedicate(poll_threads::sources d) { dedicated_.set(std::move(d)); }
  /// The threads that poll are there; after end() the service thread is not any more, and workers see their last polls.
  /// Once they are gone, release(). The thread that makes the runtime.
  void begin(scheduler& owner);
  void end() noexcept;

  /// Of waits that give up.
  wait_timers& timers() noexcept { return timers_; }

  bool has_thread() const noexcept { return service_.has_thread(); }

  /// A worker between two tasks. May leave it in the scope of the runtime.
  std::size_t poll_idle(worker& w) noexcept;
  /// Who waits asks how long nothing was found at a stretch since it began to, by itself or the service thread; nanoseconds. One worker at a time.
  void begin_waiting() noexcept;
  std::uint64_t longest_wait() const noexcept;
  /// Something is pending, and all of that calls when it ends: nobody need look.
  bool all_complete_by_callback() noexcept { return any_pending() && all_will_call(); }
  /// A worker stops looking for work, and none is left that does: they sleep, or all have found some. Then it is no matter of
  /// microseconds: the service thread is not awakened from a pause.
  void hand_over(bool is_asleep = true) noexcept {
    if (any_pending()) [[unlikely]]
      call_service_thread(is_asleep);
  }

 private:
  void call_service_thread(bool is_asleep) noexcept;
  void note_found() noexcept;
  finding poll_once(thread_state& t) noexcept override;
  std::int64_t next_due() const noexcept override { return earliest_due(); }
  void sooner(std::int64_t due, urgency how) noexcept override;
  void none_pending() noexcept override;

  wait_timers timers_;
  service_thread service_;
  poll_threads dedicated_;
  std::atomic<scheduler*> owner_{nullptr};
  std::atomic<std::uint64_t> polls_of_workers_{0};
  std::uint64_t seen_ = 0;                         // of those; the service thread
  std::atomic<std::int64_t> found_last_{0};        // when, or when somebody began to wait
  std::atomic<std::int64_t> longest_{0};           // between two such
};

}  // namespace stretto::sched
