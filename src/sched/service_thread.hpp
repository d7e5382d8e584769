// service_thread.hpp - one thread per runtime that looks after what happens outside while no worker does.
//
// It starts with the first call for it and then sleeps in a futex: without a time limit while there is nothing to look
// for, else until the next look is due. It takes no signals, and call() touches atomics and a futex only once the
// thread runs; so it is the home of what signals ask for.
//
// Threads     call, starts_looking: any. start_with and stop: the thread that makes the runtime.
// Cost        asleep: nothing. Awake with nothing to do for `patience` looks, it goes to sleep for good.
// Invariants  (1) a call that finds it asleep beyond `due` wakes it; one that does not is seen at its next look.
//             (2) it is inside look() or asleep, nothing else.
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
  /// What it does when it is awake.
  class client {
   public:
    struct finding {
      std::int64_t next_due;                // steady nanoseconds; nothing to see before
      enum { nothing, workers_poll, worked } was;  // others_look: workers do it
    };
    virtual finding poll_once(thread_state& t) noexcept = 0;
    /// As next_due of a look now, without looking: asked again before a long sleep.
    virtual std::int64_t next_due() const noexcept = 0;

   protected:
    ~client() = default;
  };

  service_thread(client& d, std::int64_t longest_pause_ns) noexcept : client_(d), longest_pause_(longest_pause_ns) {}
  service_thread(const service_thread&) = delete;

  void start_with(scheduler& owner) noexcept { owner_.store(&owner, std::memory_order_seq_cst); }
  void stop() noexcept;

  bool has_thread() const noexcept { return started_.load(std::memory_order_acquire); }

  /// There will be something to look for at `due`; `short_sleep`: it is awakened from a pause too.
  void call(std::int64_t due, bool short_sleep) noexcept;

 private:
  enum class sleep : std::uint8_t { none, pause, long_sleep };
  static constexpr std::int64_t least_pause = 10'000;
  static constexpr std::int64_t latency_fraction = 8;  // of what is waited for
  static constexpr std::int64_t most_pauses = 5;     // longest ones in a row, while workers look: waking up is what costs then
  static constexpr unsigned patience = 8;

  void start() noexcept;
  void serve(scheduler& owner);
  void pause_between_polls(std::int64_t until, std::int64_t due, std::uint32_t seen) noexcept;
  void sleep_until_due(std::int64_t until, std::uint32_t seen) noexcept;

  client& client_;
  const std::int64_t longest_pause_;
  std::atomic<scheduler*> owner_{nullptr};      // null: there are no threads
  std::atomic<bool> started_{false}, ends_{false};
  std::atomic<sleep> asleep_{sleep::long_sleep};
  std::atomic<std::int64_t> until_;             // of a long sleep
  std::atomic<std::uint32_t> calls_{0};         // futex
  std::mutex start_mutex_;
  std::thread thread_;
};

}  // namespace stretto::sched
