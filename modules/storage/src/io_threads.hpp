// io_threads.hpp - the threads that block in place of workers: for tasks at the places, and for transfers where there
// is no io_uring.
//
// Threads     serve, begin: any thread of the runtime. start, stop: the runtime's.
// Invariants  what was handed in before stop() is done before it returns.
#pragma once

#include <stretto/module.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine.hpp"

namespace stretto {

class io_threads final : public place_server, public engine {
 public:
  explicit io_threads(unsigned count) noexcept : count_(count ? count : 1) {}
  void count_in(statistic tasks) noexcept { tasks_ = tasks; }
  /// `on_end` is called when poll would find something.
  void start(runtime& owner, std::function<void()> on_end);
  void stop() noexcept;

  void serve(served_task&& task, place where) override;
  void begin(std::unique_ptr<transfer> t) override;
  void poll(std::vector<std::unique_ptr<transfer>>& ended) override;
  bool must_be_polled() const noexcept override { return false; }

 private:
  struct work {  // one of the two
    served_task task;
    std::unique_ptr<transfer> bytes;
  };
  void put(work w);
  void run_thread(runtime& owner);

  const unsigned count_;
  statistic tasks_;
  std::function<void()> on_end_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<work> queue_;
  std::vector<std::unique_ptr<transfer>> ended_;
  bool stops_ = false;
};

}  // namespace stretto
