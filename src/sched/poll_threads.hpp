// poll_threads.hpp - threads that ask one source of events each, and nobody else: for devices that shall not wait for idle workers.
//
// They look without a pause while something is under way, for a moment after the last that was found, then every few
// microseconds; they sleep in a futex while nothing is.
//
// Threads     wake: any. The rest: the thread that makes the runtime.
// Cost        a thread for each, and while something is under way most of a core for each.
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
    std::vector<poll_function> each;  // a thread for each
    std::function<bool()> is_pending;  // whether anything is under way at all
    std::function<void()> on_no_threads;   // there are no threads to be had: others have to ask
  };

  poll_threads() = default;
  poll_threads(const poll_threads&) = delete;

  void set(sources d) { sources_ = std::move(d); }
  void start_with(scheduler& owner) noexcept;
  void stop() noexcept;
  /// Something is under way where nothing was.
  void wake() noexcept;

 private:
  void serve(scheduler& owner, const poll_function& poll);

  sources sources_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> calls_{0};  // futex
  std::vector<std::thread> threads_;
};

}  // namespace stretto::sched
