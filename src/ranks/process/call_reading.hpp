// call_reading.hpp - a time in which no suspended rank resumes, so that a report may read the call in which it waits.
//
// The call, its arguments and its requests lie on the stack of the rank, which goes on as soon as a message comes, also
// from another node. So it is not enough that all threads of the process slept before the report.
//
// Threads     the constructor and destructor: one monitor at a time. wait_until_over: any.
// Cost        wait_until_over: two loads. The constructor interrupts the cores of the process.
#pragma once

#include <atomic>
#include <mutex>

#include "base/asymmetric_fence.hpp"

namespace stretto::ranks {

class call_reading {
 public:
  call_reading();
  call_reading(const call_reading&) = delete;
  ~call_reading();

  /// Called by a rank that resumes, once it has withdrawn its call from readers, ahead of all changes to it.
  static void wait_until_over() noexcept {
    base::asymmetric::light();
    if (is_on_.load(std::memory_order_acquire)) [[unlikely]]
      block();
  }

 private:
  static void block() noexcept;

  static std::atomic<bool> is_on_;
  static std::mutex one_;

  const std::scoped_lock<std::mutex> lock_{one_};
};

}  // namespace stretto::ranks
