// blocked_workers.hpp - which workers block in system calls while tasks wait for them: decided from samples.
//
// A worker blocks from the first of a row of samples in which it is in one task, sleeps in the kernel and uses almost
// no processor time, if tasks wait for it at the begin of the row; another worker may run these afterwards. A task that
// naps in a loop blocks its worker, too.
//
// Threads     one at a time. Pure: time comes with the samples.
// Cost        a search of a map per worker.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace stretto::diagnose {

/// A worker at one moment.
struct worker_sample {
  std::uint32_t worker = 0;
  const void* task = nullptr;  // that it runs
  std::uint64_t progress = 0;  // changes whenever it reaches the scheduler
  bool is_asleep = false;      // in the kernel
  std::uint64_t used_ns = 0;   // processor time of its thread
  std::uint64_t ready = 0;     // tasks that wait for it
};

struct blocked_worker {
  std::uint32_t worker = 0;
  const void* task = nullptr;
  std::int64_t blocked_ns = 0;  // so far
  std::uint64_t ready = 0;
  bool operator==(const blocked_worker&) const = default;
};

class blocked_workers {
 public:
  /// `samples` are those of all workers that are awake, at the time `now_ns` of any clock that does not go back.
  /// Returns the workers that block, in the order of the samples.
  std::vector<blocked_worker> observe(std::span<const worker_sample> samples, std::int64_t now_ns);

 private:
  struct row_of_samples {
    const void* task = nullptr;
    std::uint64_t progress = 0, used_ns = 0;  // at its begin
    std::int64_t begun_ns = 0;
  };
  std::map<std::uint32_t, row_of_samples> rows_;  // by worker
};

}  // namespace stretto::diagnose
