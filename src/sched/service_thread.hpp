// service_thread.hpp - a thread of each runtime that polls while no worker polls.
//
// The first call() starts it. While nothing is pending, it sleeps on a futex without a time limit; else until the next
// poll is due. It blocks all signals. Once it runs, call() uses only atomics and a futex, so signal handlers may call
// it.
//
// Threads     call: any. start_with and stop: the thread that makes the runtime.
// Cost        asleep: nothing. After `patience` polls in a row that are far from due, it sleeps until called or due.
// Invariants  (1) call() wakes the thread if it sleeps beyond `due`; otherwise its next poll comes in time.
//             (2) the thread is inside poll_once() or asleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace stretto::sched {

struct scheduler;
struct thread_state;

class service_thread {
 public:
  /// The work of the thread when it is awake.
  class client {
   public:
    struct finding {
      std::int64_t next_due;                       // steady nanoseconds; no poll is needed before
      enum { nothing, workers_poll, worked } was;  // workers_poll: workers have polled since the last call
    };
    /// Polls once if a poll is due and no worker has polled since the last call.
    virtual finding poll_once(thread_state& t) noexcept = 0;
    /// The time at which the next poll is due, without polling. The thread checks it again before it sleeps.
    virtual std::int64_t next_due() const noexcept = 0;

   protected:
    ~client() = default;
  };

  explicit service_thread(client& d) noexcept : client_(d) {}
  service_thread(const service_thread&) = delete;

  void start_with(scheduler& owner) noexcept { owner_.store(&owner, std::memory_order_seq_cst); }
  void stop() noexcept;

  bool has_thread() const noexcept { return started_.load(std::memory_order_acquire); }

  /// A poll will be due at `due`. `short_sleep`: wakes the thread from a pause, too.
  void call(std::int64_t due, bool short_sleep) noexcept;

 private:
  enum class sleep : std::uint8_t { none, pause, long_sleep };
  static constexpr std::int64_t least_pause = 10'000, longest_pause = 200'000;  // nanoseconds
  // a pause lasts an eighth of the time waited so far, within limits
  static constexpr std::int64_t latency_fraction = 8;
  // the longest one, in longest_pause, while workers poll: wake-ups are the cost then
  static constexpr std::int64_t most_pauses = 5;
  static constexpr unsigned patience = 8;

  void start() noexcept;
  void serve(scheduler& owner);
  void pause_between_polls(std::int64_t until, std::int64_t due, std::uint32_t seen) noexcept;
  void sleep_until_due(std::int64_t until, std::uint32_t seen) noexcept;

  client& client_;
  std::atomic<scheduler*> owner_{nullptr};  // null: there are no threads
  std::atomic<bool> started_{false}, ends_{false};
  std::atomic<sleep> asleep_{sleep::long_sleep};
  std::atomic<std::int64_t> until_;      // of a long sleep
  std::atomic<std::uint32_t> calls_{0};  // futex
  std::mutex start_mutex_;
  std::thread thread_;
};

}  // namespace stretto::sched
