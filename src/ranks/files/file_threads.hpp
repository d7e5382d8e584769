// file_threads.hpp - threads of a node that wait for disks, so that no worker does.
//
// A thread begins when there is work for it and ends when there is none: a node without files has none of them, and a
// hang report need not ask what they may still do. A poller of the runtime finishes what they have performed.
//
// Threads     submit: any. attach: one thread of the runtime, before.
// Cost        submit: a thread's start where all of them are busy or none runs, about 20 us.
#pragma once

#include <stretto/poller.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "ranks/files/file_work.hpp"

namespace stretto::ranks {

class file_threads final : public file_workers, poller {
 public:
  ~file_threads();

  /// Lets the calling thread's runtime poll for finished work.
  void attach();

  void submit(std::unique_ptr<file_work> work) override;
  int threads() const override { return most_threads; }

 private:
  static constexpr int most_threads = 4;

  std::size_t poll() override;
  bool will_call() noexcept override;
  void fail(std::exception_ptr) noexcept override;
  void run() noexcept;

  std::mutex mutex_;  // guards what follows
  std::condition_variable none_runs_;
  std::deque<std::unique_ptr<file_work>> waiting_;
  std::vector<std::unique_ptr<file_work>> performed_;
  int running_ = 0;
};

}  // namespace stretto::ranks
