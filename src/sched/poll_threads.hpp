// poll_threads.hpp - dedicated threads, each of which polls one source: for devices that must not wait for idle
// workers.
//
// While operations are in progress, a thread polls without pause; after 256 polls that found nothing it pauses for 5 us
// between polls. It sleeps in a futex while no operation is in progress.
//
// Threads     wake: any. The rest: the thread that makes the runtime.
// Cost        a thread for each source, and most of a core for each while operations are in progress.
// Source      a thread per device: the PREMA paper on heterogeneous tasking.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace stretto::sched {

struct scheduler;

class poll_threads {
 public:
  using poll_function = std::function<std::size_t()>;  // how many operations it ended
  struct sources {
    std::vector<poll_function> each;      // a thread for each
    std::function<bool()> is_pending;     // whether any operation is in progress
    std::function<void()> on_no_threads;  // the system has no thread to give: workers must poll instead
  };

  poll_threads() = default;
  poll_threads(const poll_threads&) = delete;

  void set(sources d) { sources_ = std::move(d); }
  void start_with(scheduler& owner) noexcept;
  void stop() noexcept;
  /// An operation has begun after a time without any.
  void wake() noexcept;

 private:
  void serve(scheduler& owner, const poll_function& poll);

  sources sources_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> calls_{0};  // futex
  std::vector<std::thread> threads_;
};

}  // namespace stretto::sched
