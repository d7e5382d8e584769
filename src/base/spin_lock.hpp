// spin_lock.hpp - a lock for critical sections of a few instructions: one exchange to lock, one store to unlock.
//
// Threads     any. Yields the core while it waits long, since the holder may have been interrupted.
// Cost        about a quarter of a std::mutex when free.
#pragma once

#include <atomic>
#include <thread>

#include "base/config.hpp"
#include "base/sanitizers.hpp"

namespace stretto::base {

class spin_lock {
 public:
  bool try_lock() noexcept {
    if (taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire)) return false;
    announce_acquire(this);
    return true;
  }
  void lock() noexcept {
    for (unsigned tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries)
      while (taken_.load(std::memory_order_relaxed)) {
        relax();
        if (++tries % 64 == 0) std::this_thread::yield();
      }
    announce_acquire(this);
  }
  void unlock() noexcept {
    announce_release(this);
    taken_.store(false, std::memory_order_release);
  }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace stretto::base
