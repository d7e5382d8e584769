// worker_observation.hpp - what each worker of a runtime does at the moment, for the monitor.
//
// Threads     any, while the workers run: it locks nothing and makes no worker wait.
// Cost        one system call for each worker.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::sched {

struct scheduler;

struct observed_worker {
  std::uint32_t index = 0;
  int kernel_thread = 0;
  const void* task = nullptr;  // that it runs; null: none, or the body of run
  std::uint64_t progress = 0;  // rises whenever it begins, suspends, resumes or steals a task
  std::uint64_t ready = 0;     // tasks that wait for it, roughly
};

/// The workers that have a thread and do not sleep for want of work.
std::vector<observed_worker> observe_workers(const scheduler& owner);

}  // namespace stretto::sched
